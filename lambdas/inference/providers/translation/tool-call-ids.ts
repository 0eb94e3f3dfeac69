/**
 * Makes the ids of tool calls unique within a conversation, as providers require, and accepted by the provider. Some
 * servers count calls from zero in every response, or give all calls of a response the same id.
 * https://github.com/NVIDIA-NeMo/Switchyard/issues/502
 */
import {
  type AssistantTurn,
  assistantMessages,
  callsIn,
  isCall,
  type ToolResult,
  type Turn,
  type UserTurn,
} from '#lambdas/inference/completion/conversation.ts';

/** Returns an id that the provider accepts; the same id if that is already accepted. */
type ToAcceptedId = (id: string) => string;

/**
 * Ids that are unique and accepted stay unchanged. Results refer to the calls of the latest turn that used their id, in
 * the order of the calls. A result without a call keeps its id, for the provider's error.
 */
export function withUniqueCallIds<T extends Turn>(
  turns: readonly T[],
  toAcceptedId: ToAcceptedId,
): (T | UserTurn | AssistantTurn)[] {
  const assign = createIdAssignment(turns, toAcceptedId);
  const open = new Map<string, string[]>();
  return turns.map((turn: Turn & T) => {
    if (turn.role === 'assistant') return renameCalls(turn, open, assign);
    return turn.role === 'user' ? renameResults(turn, open, toAcceptedId) : turn;
  });
}

function renameCalls(
  { role, messages }: AssistantTurn,
  open: Map<string, string[]>,
  assign: (id: string) => string,
): AssistantTurn {
  for (const { id } of callsIn(messages)) open.delete(id);
  return {
    role,
    messages: messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) => {
        if (!isCall(part)) return part;
        const id = assign(part.id);
        const ids = open.get(part.id);
        if (ids === undefined) open.set(part.id, [id]);
        else ids.push(id);
        return { ...part, id };
      }),
    })),
  };
}

function renameResults(turn: UserTurn, open: Map<string, string[]>, toAcceptedId: ToAcceptedId): UserTurn {
  const rename = (result: ToolResult): ToolResult => {
    const ids = open.get(result.toolCallId) ?? [];
    // A second result for the last call is the provider's to reject.
    const id = ids.length > 1 ? ids.shift() : ids[0];
    return { ...result, toolCallId: id ?? toAcceptedId(result.toolCallId) };
  };
  return { ...turn, toolResults: turn.toolResults.map(rename) };
}

/** The first call with an id keeps it. Accepted ids of other calls are never given to a renamed call. */
function createIdAssignment(turns: readonly Turn[], toAcceptedId: ToAcceptedId): (id: string) => string {
  const calls = callsIn(assistantMessages(turns));
  const unchanged = new Set(calls.map(({ id }) => id).filter((id) => toAcceptedId(id) === id));
  const assigned = new Set<string>();
  // Remembers the last number of each id, so that many calls with the same id take linear time.
  const lastNumbers = new Map<string, number>();
  return (id) => {
    let candidate = toAcceptedId(id);
    let number = lastNumbers.get(id) ?? 1;
    const isTaken = () => assigned.has(candidate) || (candidate !== id && unchanged.has(candidate));
    while (isTaken()) candidate = toAcceptedId(`${id}_${++number}`);
    lastNumbers.set(id, number);
    assigned.add(candidate);
    return candidate;
  };
}
