/** What a provider refuses in messages that knows their fields and takes no others. */
import { objectsIn } from '#lambdas/platform/json/json.ts';
import type { ChatRequest } from './openai-request.ts';

export interface KnownFields {
  /** By role. */
  messages: Readonly<Record<string, readonly string[]>>;
  toolCall: readonly string[];
}

/** The first thing that is not known; with `name` a field of the message or tool call, without one its role. */
export interface UnknownField {
  at: number;
  role: string;
  /** Of the place inside the message, such as `tool_calls.0`. */
  inside: string[];
  name?: string;
}

export function firstUnknownField({ messages }: ChatRequest, known: KnownFields): UnknownField | null {
  for (const [at, message] of messages.entries()) {
    const { role } = message;
    const fields = known.messages[role];
    if (fields === undefined) return { at, role, inside: [] };
    const name = Object.keys(message).find((field) => !fields.includes(field));
    if (name !== undefined) return { at, role, inside: [], name };
    for (const [place, call] of objectsIn(message.tool_calls).entries()) {
      const extra = Object.keys(call).find((field) => !known.toolCall.includes(field));
      if (extra !== undefined) return { at, role, inside: ['tool_calls', String(place)], name: extra };
    }
    for (const [place, part] of objectsIn(message.content).entries()) {
      if (part.cache_control !== undefined) {
        return { at, role, inside: ['content', String(place)], name: 'cache_control' };
      }
    }
  }
  return null;
}
