/** The messages of a request for a provider that refuses fields, roles and ids that it does not know. */
import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { StrictRules } from '../request-rules.ts';
import { unsupportedParameter } from '../translation/parameters.ts';
import { copy, type JsonEdit, type JsonPath, remove, set } from './json-edits.ts';
import { joinedChanges, type RequestChanges } from './request-changes.ts';
import { contentPartChanges } from './request-parts.ts';

/** What an answer has and a caller sends back with it: nobody minds its loss. */
const ofAnswers = ['refusal', 'annotations', 'audio', 'function_call', 'parsed', 'name'];

export function messageChanges(body: JsonObject, strict: StrictRules): RequestChanges {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const changes = messages.flatMap((message, place) => {
    if (!isJsonObject(message)) return [];
    const path: JsonPath = ['messages', place];
    return [
      roleAndFieldChanges({ message, path, strict }),
      toolCallChanges({ message, path, strict }),
      contentPartChanges(message.content, [...path, 'content']),
    ];
  });
  return joinedChanges(changes);
}

interface PlacedMessage {
  message: JsonObject;
  path: JsonPath;
  strict: StrictRules;
}

function roleAndFieldChanges({ message, path, strict }: PlacedMessage): RequestChanges {
  const role = message.role === 'developer' ? 'system' : String(message.role);
  const at = `messages[${path[1]}]`;
  const known = strict.messageFields[role];
  if (known === undefined) throw unsupportedParameter(`${at}.role`, `${at}.role cannot be ${role} here`);
  if (isJsonObject(message.function_call)) {
    const param = `${at}.function_call`;
    throw unsupportedParameter(param, `${param} is not supported here: use tool_calls`);
  }
  const edits: JsonEdit[] = role === message.role ? [] : [set([...path, 'role'], role)];
  const isRefusal = typeof message.refusal === 'string' && (message.content ?? '') === '';
  if (isRefusal) edits.push(copy([...path, 'content'], [...path, 'refusal']));
  const lost = Object.keys(message).filter((name) => !known.includes(name));
  const told = lost.filter((name) => message[name] !== null && !ofAnswers.includes(name));
  return {
    edits: [...edits, ...lost.map((name) => remove([...path, name]))],
    ignored: told.map((name) => `messages.${name}`),
  };
}

function toolCallChanges({ message, path, strict }: PlacedMessage): RequestChanges {
  const edits: JsonEdit[] = [];
  const { tool_call_id: resultOf, tool_calls: calls } = message;
  if (typeof resultOf === 'string') edits.push(...idEdits(resultOf, [...path, 'tool_call_id'], strict));
  const lost = new Set<string>();
  for (const [place, call] of (Array.isArray(calls) ? calls : []).entries()) {
    if (!isJsonObject(call)) continue;
    const callPath = [...path, 'tool_calls', place];
    if (typeof call.id === 'string') edits.push(...idEdits(call.id, [...callPath, 'id'], strict));
    for (const name of Object.keys(call).filter((field) => !strict.toolCallFields.includes(field))) {
      edits.push(remove([...callPath, name]));
      if (call[name] !== null) lost.add(`tool_calls.${name}`);
    }
  }
  return { edits, ignored: [...lost] };
}

/** A conversation that began at another provider has its ids; each becomes the same one wherever it stands. */
function idEdits(id: string, path: JsonPath, { toolCallIdLength: length }: StrictRules): JsonEdit[] {
  if (id.length === length && /^[a-zA-Z0-9]*$/.test(id)) return [];
  return [set(path, shortId(id, length))];
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function shortId(id: string, length: number): string {
  const bytes = createHash('sha256').update(id).digest().subarray(0, length);
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('');
}
