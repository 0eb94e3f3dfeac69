/** Messages as the native protocols want them: the system's words apart, and turns of user and model that alternate. */
import type { ContentPart, TextPart } from './content-parts.ts';
import type { AssistantMessage, Message, ToolMessage } from './messages.ts';

export interface Conversation {
  /** Of all system and developer messages, in order. */
  system: TextPart[];
  turns: Turn[];
}

export type Turn = UserTurn | AssistantTurn;

/** What came between two answers of the model. Results of tools stand before what the user said, as providers want it. */
export interface UserTurn {
  role: 'user';
  toolResults: ToolMessage[];
  parts: ContentPart[];
}

export interface AssistantTurn {
  role: 'assistant';
  /** Several where the caller sent several in a row. */
  messages: AssistantMessage[];
}

/** The answers of before. */
export function answersIn(turns: readonly Turn[]): AssistantMessage[] {
  return turns.flatMap((turn) => (turn.role === 'assistant' ? turn.messages : []));
}

/** The tools that were called before, each once. */
export function calledToolNames(turns: readonly Turn[]): string[] {
  return [...new Set(answersIn(turns).flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name)))];
}

export function toConversation(messages: readonly Message[]): Conversation {
  const conversation: Conversation = { system: [], turns: [] };
  for (const message of messages) {
    if (message.role === 'system') append(conversation.system, message.parts);
    else if (message.role === 'assistant') assistantTurn(conversation).messages.push(message);
    else if (message.role === 'tool') userTurn(conversation).toolResults.push(message);
    else append(userTurn(conversation).parts, message.parts);
  }
  return conversation;
}

/** One by one: a call takes some 100,000 arguments at most, and a message can have more parts. */
function append<Part>(parts: Part[], more: readonly Part[]): void {
  for (const part of more) parts.push(part);
}

function userTurn({ turns }: Conversation): UserTurn {
  const last = turns.at(-1);
  if (last?.role === 'user') return last;
  const turn: UserTurn = { role: 'user', toolResults: [], parts: [] };
  turns.push(turn);
  return turn;
}

function assistantTurn({ turns }: Conversation): AssistantTurn {
  const last = turns.at(-1);
  if (last?.role === 'assistant') return last;
  const turn: AssistantTurn = { role: 'assistant', messages: [] };
  turns.push(turn);
  return turn;
}
