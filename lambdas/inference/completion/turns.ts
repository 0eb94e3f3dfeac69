/** Groups the messages of a request into turns. */
import type { ContentPart } from './content.ts';
import type { AssistantMessage, AssistantTurn, ToolResult, Turn, UserTurn } from './conversation.ts';

interface UserMessage {
  role: 'user';
  parts: readonly ContentPart[];
}

/** Consecutive messages of the user and of tools are one turn, and so are those of the assistant. */
export function appendMessage(turns: Turn[], message: UserMessage | AssistantMessage | ToolResult): void {
  if (message.role === 'assistant') assistantTurn(turns).messages.push(message);
  else if (message.role === 'tool') userTurn(turns).toolResults.push(message);
  else appendAll(userTurn(turns).parts, message.parts);
}

/** Appends one by one, since a message can have more parts than a call can have arguments (about 100,000). */
export function appendAll<Part>(parts: Part[], newParts: readonly Part[]): void {
  for (const part of newParts) parts.push(part);
}

function userTurn(turns: Turn[]): UserTurn {
  const last = turns.at(-1);
  if (last?.role === 'user') return last;
  const turn: UserTurn = { role: 'user', toolResults: [], parts: [] };
  turns.push(turn);
  return turn;
}

function assistantTurn(turns: Turn[]): AssistantTurn {
  const last = turns.at(-1);
  if (last?.role === 'assistant') return last;
  const turn: AssistantTurn = { role: 'assistant', messages: [] };
  turns.push(turn);
  return turn;
}
