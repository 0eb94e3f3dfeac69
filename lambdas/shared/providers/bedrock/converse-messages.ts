/**
 * A conversation in OpenAI's format, as the messages of Converse.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html
 */
import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { type ClaudeThought, thoughtsOf } from '../translation/claude-thinking.ts';
import type { AssistantTurn, Turn, UserTurn } from '../translation/conversation.ts';
import type { ToolCall, ToolMessage } from '../translation/messages.ts';
import type { BedrockModel } from './bedrock-models.ts';
import { cachePoint, contentBlocks } from './converse-media.ts';

interface ConverseMessage {
  role: Turn['role'];
  content: JsonObject[];
}

/** A turn without content says nothing, and Converse refuses it: it is left out, and its neighbours become one. */
export function messagesOf(turns: readonly Turn[], model: BedrockModel): ConverseMessage[] {
  const messages: ConverseMessage[] = [];
  for (const turn of turns) {
    const content = turn.role === 'user' ? userBlocks(turn, model) : assistantBlocks(turn, model);
    const last = messages.at(-1);
    if (last?.role === turn.role) last.content = last.content.concat(content);
    else if (content.length > 0) messages.push({ role: turn.role, content });
  }
  return uniquelyNamed(messages);
}

function userBlocks({ toolResults, parts }: UserTurn, model: BedrockModel): JsonObject[] {
  return [...toolResults.flatMap((result) => toolResult(result, model)), ...contentBlocks(parts, model)];
}

/** Marks for the cache stand behind the result, not inside. */
function toolResult({ toolCallId, parts, cacheControl }: ToolMessage, model: BedrockModel): JsonObject[] {
  const marks = [cacheControl, ...parts.map((part) => part.cacheControl)];
  const unmarked = parts.map((part) => ({ ...part, cacheControl: null }));
  const content = contentBlocks(unmarked, model);
  return [
    { toolResult: { toolUseId: toolUseId(toolCallId, model), content } },
    ...cachePoint(marks.findLast((mark) => mark !== null) ?? null, model),
  ];
}

/** Claude refuses thoughts of which nothing came. */
function assistantBlocks({ messages }: AssistantTurn, model: BedrockModel): JsonObject[] {
  // The others sign no thoughts, and refuse those that are signed.
  const isClaude = model.vendor === 'anthropic' || model.vendor === null;
  return messages.flatMap((message) => {
    const said = [
      ...contentBlocks(message.parts, model),
      ...message.toolCalls.flatMap((call) => toolUse(call, model)),
    ];
    const thoughts = isClaude && said.length > 0 ? thoughtsOf(message) : [];
    return [...thoughts.map((thought) => ({ reasoningContent: reasoningContent(thought) })), ...said];
  });
}

function toolUse({ id, name, arguments: input, cacheControl }: ToolCall, model: BedrockModel): JsonObject[] {
  const call = { toolUse: { toolUseId: toolUseId(id, model), name, input } };
  return [call, ...cachePoint(cacheControl, model)];
}

function reasoningContent(thought: ClaudeThought): JsonObject {
  if (thought.type === 'redacted_thinking') return { redactedContent: thought.data };
  const { thinking: text, signature } = thought;
  return { reasoningText: { text, signature } };
}

/**
 * Ids of other providers can be longer, or have characters that are refused; Mistral takes nine letters and digits
 * only. What they become is the same for a call and its result.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html
 */
function toolUseId(id: string, { vendor }: BedrockModel): string {
  const isTaken = vendor === 'mistral' ? /^[a-zA-Z0-9]{9}$/ : /^[a-zA-Z0-9_.:-]{1,64}$/;
  if (isTaken.test(id)) return id;
  const digest = createHash('sha256').update(id).digest('hex');
  return vendor === 'mistral' ? digest.slice(0, 9) : `call_${digest.slice(0, 32)}`;
}

/** Two documents of one name are refused. */
function uniquelyNamed(messages: ConverseMessage[]): ConverseMessage[] {
  const used = new Set<unknown>();
  // Where to go on for a name, so that very many of one name are not counted anew for each.
  const latest = new Map<unknown, number>();
  for (const { document } of messages.flatMap(({ content }) => content)) {
    if (!isJsonObject(document)) continue;
    const { name } = document;
    let number = latest.get(name) ?? 1;
    while (used.has(document.name)) document.name = `${name} (${++number})`;
    latest.set(name, number);
    used.add(document.name);
  }
  return messages;
}
