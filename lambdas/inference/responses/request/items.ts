/**
 * Parses and validates the instructions and the input of a Responses request, and groups its items into turns.
 * https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 */
import { onlyText, withoutEmptyText } from '#lambdas/inference/completion/content.ts';
import type {
  AssistantPart,
  Conversation,
  ToolCall,
  ToolResult,
} from '#lambdas/inference/completion/conversation.ts';
import { type SignedData, withSignedData } from '#lambdas/inference/completion/signatures.ts';
import { appendAll, appendMessage } from '#lambdas/inference/completion/turns.ts';
import { readArguments } from '#lambdas/inference/openai-fields.ts';
import { invalidRequestError, unsupportedParameterError } from '#lambdas/platform/errors.ts';
import { isAbsent, readObject, readOptionalText, readText } from '#lambdas/platform/json/fields.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { readContent } from './content.ts';
import { inputArgument } from './custom-tools.ts';
import { readReasoning } from './reasoning.ts';
import { isToolItem } from './tools.ts';
import { readUnknownItem } from './unknown-items.ts';

/** `provider` is the one whose data in encrypted content is kept. */
export function readConversation({ instructions, input }: JsonObject, provider: string | null): Conversation {
  const builder = createBuilder();
  const text = readOptionalText(instructions, 'instructions') ?? '';
  builder.addInstructions(readContent(text, 'instructions'));
  if (typeof input === 'string') builder.addUser(readContent(input, 'input'));
  for (const [index, value] of (Array.isArray(input) ? input : []).entries()) {
    const param = `input[${index}]`;
    readItem(readObject(value, param), param, { builder, provider });
  }
  return builder.build();
}

interface ItemContext {
  builder: ConversationBuilder;
  provider: string | null;
}

function readItem(item: JsonObject, param: string, { builder, provider }: ItemContext): void {
  switch (itemTypeOf(item)) {
    case 'message':
      readMessage(item, param, builder);
      break;
    case 'reasoning': {
      const reasoning = readReasoning(item, provider);
      if (reasoning !== null) builder.addAssistant(reasoning.part, reasoning.signatures);
      break;
    }
    case 'function_call': {
      const read = readArguments(item.arguments, `${param}.arguments`);
      builder.addAssistant({ ...readCall(item, param), ...read });
      break;
    }
    case 'custom_tool_call': {
      const input = readText(item.input, `${param}.input`);
      builder.addAssistant({ ...readCall(item, param), arguments: { [inputArgument]: input } });
      break;
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      builder.addResult(readResult(item, param));
      break;
    default:
      readOtherItem(item, param, builder);
  }
}

/** A message may have no type, and neither may a reference. */
function itemTypeOf({ type, role, content, id }: JsonObject): unknown {
  const isReference = isAbsent(role) && isAbsent(content) && typeof id === 'string';
  return type ?? (isReference ? 'item_reference' : 'message');
}

function readMessage({ role, content }: JsonObject, param: string, builder: ConversationBuilder): void {
  const parts = readContent(content, `${param}.content`);
  switch (role) {
    case 'user':
      builder.addUser(parts);
      break;
    case 'system':
    case 'developer':
      builder.addInstructions(parts);
      break;
    case 'assistant':
      for (const part of onlyText(parts)) builder.addAssistant({ ...part, payload: null });
      break;
    default:
      throw invalidRequestError(
        `${param}.role`,
        `${param}.role must be user, assistant, system or developer`,
      );
  }
}

function readCall(item: JsonObject, param: string): ToolCall {
  return {
    type: 'call',
    id: readText(item.call_id, `${param}.call_id`),
    name: readText(item.name, `${param}.name`),
    namespace: readOptionalText(item.namespace, `${param}.namespace`),
    arguments: {},
    hasInvalidArguments: false,
    cacheControl: null,
    payload: null,
    param,
  };
}

function readResult(item: JsonObject, param: string): ToolResult {
  const idParam = `${param}.call_id`;
  return {
    role: 'tool',
    toolCallId: readText(item.call_id, idParam),
    parts: readContent(item.output, `${param}.output`),
    isError: false,
    cacheControl: null,
    param: idParam,
  };
}

/** Items without which the conversation would be another one, with the way out. */
const unreadableItems: ReadonlyMap<unknown, string> = new Map([
  [
    'item_reference',
    'refers to an item that this provider does not keep: send the item itself, which clients do with store: false',
  ],
  ['compaction', 'is a compacted conversation that only its own provider can read: send the earlier items'],
  ['compaction_trigger', 'asks for a compaction, which this provider does not offer'],
]);

function readOtherItem(item: JsonObject, param: string, builder: ConversationBuilder): void {
  const advice = unreadableItems.get(itemTypeOf(item));
  if (advice !== undefined) throw unsupportedParameterError(`${param}.type`, `${param} ${advice}`);
  if (isToolItem(item)) return;
  readText(item.type, `${param}.type`);
  const { role, text } = readUnknownItem(item);
  const parts = onlyText(readContent(text, param));
  if (role === 'user') builder.addUser(parts);
  else if (role === 'system') builder.addInstructions(parts);
  else for (const part of parts) builder.addAssistant({ ...part, payload: null });
}

interface ConversationBuilder {
  addUser(parts: ReturnType<typeof readContent>): void;
  addInstructions(parts: ReturnType<typeof readContent>): void;
  addResult(result: ToolResult): void;
  /** `signatures` are those of a reasoning item. */
  addAssistant(part: AssistantPart, signatures?: readonly SignedData[]): void;
  build(): Conversation;
}

/** The items of one response become a single message of the assistant, in order. */
function createBuilder(): ConversationBuilder {
  const conversation: Conversation = { system: [], turns: [] };
  const { system, turns } = conversation;
  let parts: AssistantPart[] = [];
  let signatures: (readonly SignedData[])[] = [];
  const endMessage = () => {
    if (parts.length === 0) return;
    const signed = withoutEmptyText(withSignedData(parts, signatures));
    appendMessage(turns, { role: 'assistant', parts: signed, hasImages: false });
    parts = [];
    signatures = [];
  };
  return {
    addUser(content) {
      if (content.length === 0) return;
      endMessage();
      appendMessage(turns, { role: 'user', parts: content });
    },
    addInstructions(content) {
      const texts = onlyText(content);
      if (texts.length === 0) return;
      endMessage();
      if (turns.length === 0) appendAll(system, texts);
      else turns.push({ role: 'system', parts: texts });
    },
    addResult(result) {
      endMessage();
      appendMessage(turns, result);
    },
    addAssistant(part, ofPart = []) {
      parts.push(part);
      signatures.push(ofPart);
    },
    build() {
      endMessage();
      return conversation;
    },
  };
}
