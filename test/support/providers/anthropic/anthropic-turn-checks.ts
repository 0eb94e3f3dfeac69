/** What the Messages API refuses in the order of a conversation. */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { checkBlock, checkKeys, checkText } from './anthropic-content-checks.ts';
import { refuse } from './anthropic-errors.ts';

export interface Turn {
  role: 'user' | 'assistant';
  blocks: JsonObject[];
  index: number;
}

/** Neighbours of one role are allowed, but a tool's result has to be in the message right after its call. */
export function readTurns(messages: unknown): Turn[] {
  if (!Array.isArray(messages) || messages.length === 0) refuse('messages: at least one message is required');
  const turns = messages.map((message, index) => readMessage(message, index, index === messages.length - 1));
  if (turns[0]?.role !== 'user') refuse('messages: first message must use the "user" role');
  for (const turn of turns) {
    if (turn.role === 'assistant') checkToolUses(turn, turns[turn.index + 1]);
    else checkToolResults(turn, turns[turn.index - 1]);
  }
  checkEnd(turns.at(-1));
  return turns;
}

function readMessage(message: unknown, index: number, isLast: boolean): Turn {
  const path = `messages.${index}`;
  if (!isJsonObject(message)) refuse(`${path}: Input should be a valid dictionary`);
  const { role, content } = message;
  if (role === 'system') {
    refuse(
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    );
  }
  if (role !== 'user' && role !== 'assistant') {
    refuse(`messages: Unexpected role "${role}". Allowed roles are "user" or "assistant"`);
  }
  checkKeys(path, message, ['role', 'content']);
  if (content === undefined) refuse(`${path}.content: Field required`);
  const isEmpty = content === '' || (Array.isArray(content) && content.length === 0);
  if (isEmpty && !(isLast && role === 'assistant')) {
    refuse(
      `${path}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  const blocks = readBlocks(path, content, role);
  const final = blocks.at(-1)?.type;
  if (final === 'thinking' || final === 'redacted_thinking') {
    refuse(`${path}: The final block in an assistant message cannot be \`thinking\`.`);
  }
  return { role, blocks, index };
}

function readBlocks(path: string, content: unknown, role: string): JsonObject[] {
  if (typeof content === 'string') {
    if (content !== '') checkText(path, content);
    return content === '' ? [] : [{ type: 'text', text: content }];
  }
  if (!Array.isArray(content)) refuse(`${path}.content: Input should be a valid list`);
  return content.map((block, place) => {
    checkBlock(`${path}.content.${place}`, block, role);
    return block;
  });
}

function checkToolUses({ blocks, index }: Turn, next: Turn | undefined): void {
  const ids = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => String(id));
  if (new Set(ids).size < ids.length) refuse(`messages.${index}: \`tool_use\` ids must be unique`);
  if (ids.length === 0) return;
  const results = next?.blocks ?? [];
  const firstOther = results.findIndex(({ type }) => type !== 'tool_result');
  const answering = firstOther === -1 ? results : results.slice(0, firstOther);
  const answered = answering.map(({ tool_use_id }) => tool_use_id);
  const missing = ids.filter((id) => !answered.includes(id));
  if (missing.length > 0) {
    refuse(
      `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
  }
}

function checkToolResults({ blocks, index }: Turn, previous: Turn | undefined): void {
  const called = previous?.blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id) ?? [];
  const answered = new Set<unknown>();
  for (const [place, { type, tool_use_id }] of blocks.entries()) {
    if (type !== 'tool_result') continue;
    if (!called.includes(tool_use_id)) {
      refuse(
        `messages.${index}.content.${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (answered.has(tool_use_id)) {
      refuse(
        `messages.${index}.content.${place}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${tool_use_id}`,
      );
    }
    answered.add(tool_use_id);
  }
}

function checkEnd(last: Turn | undefined): void {
  const block = last?.role === 'assistant' ? last.blocks.at(-1) : undefined;
  if (typeof block?.text === 'string' && block.text !== block.text.trimEnd()) {
    refuse('messages: final assistant content cannot end with trailing whitespace');
  }
}
