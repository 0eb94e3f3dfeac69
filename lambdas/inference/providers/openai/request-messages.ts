/** The messages of a request for a provider that has not all of OpenAI's roles, fields and ids. */
import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, textOf } from '#lambdas/platform/json/json.ts';
import type { MessageRules, RequestRules } from '../request-rules.ts';
import { unsupportedParameter } from '../translation/parameters.ts';
import {
  copy,
  type JsonEdit,
  type JsonPath,
  joinedChanges,
  type RequestChanges,
  remove,
  set,
} from './json-edits.ts';

/** What an answer has and a caller sends back with it: nobody minds its loss. */
const ofAnswers = ['refusal', 'annotations', 'audio', 'function_call', 'parsed', 'name'];

export function messageChanges(
  body: JsonObject,
  { roleNames, messages: rules }: RequestRules,
): RequestChanges {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const changes = messages.flatMap((message, place) => {
    if (!isJsonObject(message)) return [];
    const path: JsonPath = ['messages', place];
    const own = roleNames.get(textOf(message.role));
    const renaming = { edits: own === undefined ? [] : [set([...path, 'role'], own)], ignored: [] };
    if (rules === null) return [renaming];
    const placed = { message, role: own ?? textOf(message.role), path, rules };
    const known = knownFields(placed);
    return [
      renaming,
      fieldChanges(placed, known),
      toolCallChanges({ ...placed, message: keptFields(message, known) }),
      contentPartChanges(message.content, [...path, 'content'], rules),
    ];
  });
  return joinedChanges(changes);
}

interface PlacedMessage {
  message: JsonObject;
  /** In the provider's words. */
  role: string;
  path: JsonPath;
  rules: MessageRules;
}

function knownFields({ role, path, rules }: PlacedMessage): readonly string[] {
  const known = rules.fields.get(role);
  if (known !== undefined) return known;
  const param = `messages[${path[1]}].role`;
  throw unsupportedParameter(param, `${param} is none that is known here`);
}

/** What is taken out needs no other change. */
function keptFields(message: JsonObject, known: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(message).filter(([name]) => known.includes(name)));
}

function fieldChanges({ message, path, rules }: PlacedMessage, known: readonly string[]): RequestChanges {
  const at = `messages[${path[1]}]`;
  if (isJsonObject(message.function_call) && !known.includes('function_call')) {
    const param = `${at}.function_call`;
    throw unsupportedParameter(param, `${param} is not supported here: use tool_calls`);
  }
  const edits: JsonEdit[] = [];
  const isRefusal = typeof message.refusal === 'string' && (message.content ?? '') === '';
  if (isRefusal) edits.push(copy([...path, 'content'], [...path, 'refusal']));
  const ignored: string[] = [];
  for (const name of Object.keys(message).filter((field) => !known.includes(field))) {
    const own = rules.fieldNames.get(name);
    if (own === undefined) {
      if (message[name] !== null && !ofAnswers.includes(name)) ignored.push(`messages.${name}`);
    } else if (message[own] == null) edits.push(copy([...path, own], [...path, name]));
    edits.push(remove([...path, name]));
  }
  return { edits, ignored };
}

function toolCallChanges({ message, path, rules }: PlacedMessage): RequestChanges {
  const edits: JsonEdit[] = [];
  const { tool_call_id: resultOf, tool_calls: calls } = message;
  if (typeof resultOf === 'string') edits.push(...idEdits(resultOf, [...path, 'tool_call_id'], rules));
  const lost = new Set<string>();
  for (const [place, call] of (Array.isArray(calls) ? calls : []).entries()) {
    if (!isJsonObject(call)) continue;
    const callPath = [...path, 'tool_calls', place];
    if (typeof call.id === 'string') edits.push(...idEdits(call.id, [...callPath, 'id'], rules));
    for (const name of Object.keys(call).filter((field) => !rules.toolCallFields.includes(field))) {
      edits.push(remove([...callPath, name]));
      // The place in a stream says nothing in a list.
      if (call[name] !== null && name !== 'index') lost.add(`tool_calls.${name}`);
    }
  }
  return { edits, ignored: [...lost] };
}

/** A conversation that began at another provider has its ids; each becomes the same one wherever it stands. */
function idEdits(id: string, path: JsonPath, { toolCallIdLength: length }: MessageRules): JsonEdit[] {
  if (length === null || (id.length === length && /^[a-zA-Z0-9]*$/.test(id))) return [];
  return [set(path, shortId(id, length))];
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function shortId(id: string, length: number): string {
  const bytes = createHash('sha256').update(id).digest().subarray(0, length);
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('');
}

// The parts of a message's content for a provider that knows fewer: marks for a cache are lost, files Mistral's own.

/** Marks for a cache that works without them. */
const marks = ['cache_control', 'prompt_cache_breakpoint'];

export function contentPartChanges(
  content: unknown,
  path: JsonPath,
  { parts }: Pick<MessageRules, 'parts'>,
): RequestChanges {
  const edits: JsonEdit[] = [];
  const ignored: string[] = [];
  for (const [place, part] of (Array.isArray(content) ? content : []).entries()) {
    if (!isJsonObject(part)) continue;
    const partPath = [...path, place];
    const other =
      part.type === 'refusal' ? refusalAsText(part) : parts === 'mistral' ? mistralPart(part) : null;
    const lost = markChanges(part, partPath);
    ignored.push(...lost.ignored);
    edits.push(...(other === null ? lost.edits : [set(partPath, other)]));
  }
  return { edits, ignored };
}

/** The marks on a part, or on a tool. */
export function markChanges(holder: JsonObject, path: JsonPath): RequestChanges {
  const ignored = marks.filter((name) => holder[name] !== undefined);
  return { edits: ignored.map((name) => remove([...path, name])), ignored };
}

function refusalAsText({ refusal }: JsonObject): JsonObject {
  return { type: 'text', text: textOf(refusal) };
}

/** https://docs.mistral.ai/api/#tag/chat: documents by address, audio as base64 alone; `null` for a part that stays. */
function mistralPart({ type, file, input_audio: audio }: JsonObject): JsonObject | null {
  if (type === 'input_audio' && isJsonObject(audio)) return { type, input_audio: audio.data };
  if (type !== 'file' || !isJsonObject(file)) return null;
  const { file_data: data, file_id: id, filename: name } = file;
  if (typeof id === 'string') return { type: 'file', file_id: id };
  if (typeof data !== 'string') return null;
  return {
    type: 'document_url',
    document_url: data,
    ...(typeof name === 'string' && { document_name: name }),
  };
}
