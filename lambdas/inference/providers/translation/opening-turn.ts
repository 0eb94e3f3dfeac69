/**
 * Begins conversations with a user turn, as the native APIs require. "A conversation must start with a user message.":
 * https://github.com/pydantic/pydantic-ai/issues/4495, https://github.com/lobehub/lobehub/issues/1601,
 * https://github.com/NousResearch/hermes-agent/issues/55427
 */
import type { TextPart } from '#lambdas/inference/completion/content.ts';
import {
  type AssistantPart,
  type Conversation,
  type DialogTurn,
  isCall,
} from '#lambdas/inference/completion/conversation.ts';
import type { DialogRequest } from '#lambdas/inference/completion/request.ts';

/** A request that was changed, with the reported names of what the caller would not expect. */
export interface ChangedRequest {
  request: DialogRequest;
  ignored: string[];
}

/** States a fact only, so that the completion does not respond to it. */
const placeholderText = 'The conversation begins with the assistant.';

/**
 * Without any other content, the system instructions become the first user turn. A conversation that begins with an
 * assistant turn gets a placeholder before it, which is reported.
 */
export function withOpeningUserTurn(request: DialogRequest): ChangedRequest {
  const { system, turns } = request;
  const first = turns.findIndex(hasContent);
  if (first === -1) {
    const opened = system.some(isNotBlank) ? instructionsAsUserTurn({ system, turns: [] }) : {};
    return { request: { ...request, ...opened }, ignored: [] };
  }
  if (turns[first]?.role === 'user') return { request, ignored: [] };
  const placeholder: TextPart = {
    type: 'text',
    text: placeholderText,
    cacheControl: null,
    param: request.names.messages,
  };
  const opening: DialogTurn = { role: 'user', toolResults: [], parts: [placeholder] };
  return { request: { ...request, turns: [opening, ...turns.slice(first)] }, ignored: [request.names.role] };
}

/** Moves the system instructions to the start of the first user turn. */
export function instructionsAsUserTurn({
  system,
  turns,
}: Conversation<DialogTurn>): Conversation<DialogTurn> {
  if (system.length === 0) return { system, turns };
  const [first, ...rest] = turns;
  if (first?.role === 'user') {
    return { system: [], turns: [{ ...first, parts: [...system, ...first.parts] }, ...rest] };
  }
  return { system: [], turns: [{ role: 'user', toolResults: [], parts: system }, ...turns] };
}

/** False for a turn that providers refuse and that is left out. */
export function hasContent(turn: DialogTurn): boolean {
  return turn.role === 'user'
    ? turn.toolResults.length > 0 || turn.parts.some((part) => part.type === 'media' || isNotBlank(part))
    : turn.messages.some(({ parts }) => parts.some(isContent));
}

/** False for reasoning, and for blank text. */
export function isContent(part: AssistantPart): boolean {
  return isCall(part) || (part.type === 'text' && isNotBlank(part));
}

function isNotBlank({ text }: TextPart): boolean {
  return text.trim() !== '';
}
