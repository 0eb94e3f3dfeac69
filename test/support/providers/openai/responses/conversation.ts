/** The responses that a fake Responses API keeps, and the conversation to which a request refers. */
import { filterObjects, type JsonObject } from '#lambdas/platform/json/json.ts';
import type { Refusal, ResponsesRequest } from './request.ts';

interface KeptResponses {
  /** The items before and of each response, by its id. */
  conversations: Map<string, readonly JsonObject[]>;
  items: Map<string, JsonObject>;
}

export function createKeptResponses(): KeptResponses {
  return { conversations: new Map(), items: new Map() };
}

export function keepResponse(
  { conversations, items }: KeptResponses,
  id: string,
  { before, output }: { before: readonly JsonObject[]; output: readonly JsonObject[] },
): void {
  conversations.set(id, [...before, ...output]);
  for (const item of output) items.set(String(item.id), item);
}

const refused = (message: string, param = 'input', fields: Partial<Refusal> = {}): Refusal => ({
  status: 400,
  message,
  param,
  code: null,
  ...fields,
});

/** Returns all items of the conversation, or the refusal of an item that does not belong in its place. */
export function readConversation(
  { input, previous_response_id: previous }: ResponsesRequest,
  kept: KeptResponses,
  isOwnReasoning: (encryptedContent: string) => boolean,
): JsonObject[] | Refusal {
  const earlier = previous == null ? [] : kept.conversations.get(previous);
  if (earlier === undefined)
    return refused(`Previous response with id '${previous}' not found.`, 'previous_response_id', {
      code: 'previous_response_not_found',
    });
  const added = typeof input === 'string' ? [{ role: 'user', content: input }] : filterObjects(input);
  const conversation = [...earlier];
  for (const item of added) {
    const { id, encrypted_content: encrypted } = item;
    const isReference =
      item.type === 'item_reference' || (item.type === undefined && item.role === undefined);
    // Reasoning without its encrypted content stands for what is kept.
    const isKept = isReference || (item.type === 'reasoning' && encrypted == null);
    const resolved = isKept ? kept.items.get(String(id)) : item;
    if (resolved === undefined)
      return refused(
        `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
        'input',
        { status: 404 },
      );
    if (typeof encrypted === 'string' && !isOwnReasoning(encrypted))
      return refused(
        `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
        'input',
        { code: 'invalid_encrypted_content' },
      );
    if (typeof id === 'string' && conversation.some((other) => other.id === id))
      return refused(
        `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
      );
    conversation.push(resolved);
  }
  return findMisplaced(conversation) ?? conversation;
}

function findMisplaced(conversation: readonly JsonObject[]): Refusal | null {
  for (const kind of ['function', 'custom_tool'] as const) {
    const label = kind.replace('_', ' ');
    const idsOf = (type: string) =>
      conversation.filter((item) => item.type === type).map(({ call_id }) => String(call_id));
    const calls = idsOf(`${kind}_call`);
    const outputs = idsOf(`${kind}_call_output`);
    const missing = calls.find((id) => !outputs.includes(id));
    if (missing !== undefined) return refused(`No tool output found for ${label} call ${missing}.`);
    const unexpected = outputs.find((id) => !calls.includes(id));
    if (unexpected !== undefined)
      return refused(`No tool call found for ${label} call output with call_id ${unexpected}.`);
  }
  const lonely = conversation.find(({ type }, at) => type === 'reasoning' && !isOutput(conversation[at + 1]));
  return lonely === undefined
    ? null
    : refused(`Item '${lonely.id}' of type 'reasoning' was provided without its required following item.`);
}

/** Whether the model has made the item. */
function isOutput(item: JsonObject | undefined): boolean {
  return item !== undefined && (item.role === 'assistant' || /(_call|reasoning)$/.test(String(item.type)));
}
