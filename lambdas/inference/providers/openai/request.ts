/** Rewrites a request for a provider that accepts less than all of OpenAI's format, or under other names. */
import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, textOf } from '#lambdas/platform/json/json.ts';
import {
  type MessageRules,
  type RequestRules,
  type RequestRulesName,
  requestRules,
} from '../request-rules.ts';
import { ignoredParameters, openAiParameterNames, unsupportedParameter } from '../translation/parameters.ts';
import {
  copy,
  type JsonEdit,
  type JsonPath,
  mergeChanges,
  noChanges,
  type RequestChanges,
  remove,
  set,
} from './json-edits.ts';

/** Throws a `GatewayError` (400) that names a field that the provider does not have and that cannot be left out. */
export function requestChanges(
  body: JsonObject,
  options: { provider: string; rules: RequestRulesName; acceptsIncludeUsage: boolean },
): RequestChanges {
  const { provider, acceptsIncludeUsage } = options;
  const rules: RequestRules = requestRules[options.rules];
  return mergeChanges([
    acceptsIncludeUsage ? noChanges : streamOptionChanges(body),
    parameterChanges(body, { provider, rules }),
    messageChanges(body, rules),
    toolChanges(body, rules),
    { edits: renameEdits(body, rules), ignored: [] },
  ]);
}

/** Providers without `stream_options` always send usage; any other option is lost. */
function streamOptionChanges({ stream_options: options }: JsonObject): RequestChanges {
  if (options === undefined) return noChanges;
  const others = isJsonObject(options) ? Object.keys(options).filter((name) => name !== 'include_usage') : [];
  return { edits: [remove(['stream_options'])], ignored: others.map((name) => `stream_options.${name}`) };
}

function renameEdits(body: JsonObject, { parameterNames }: RequestRules): JsonEdit[] {
  return [...parameterNames].flatMap(([name, own]) => {
    if (body[name] === undefined) return [];
    return body[name] === null ? [remove([name])] : [copy([own], [name]), remove([name])];
  });
}

function parameterChanges(
  body: JsonObject,
  { provider, rules: { parameters: supported } }: { provider: string; rules: RequestRules },
): RequestChanges {
  if (supported === null) return noChanges;
  const ignored = ignoredParameters(body, { provider, supported });
  const refused = openAiParameterNames.filter((name) => body[name] !== undefined && !supported.has(name));
  const emptyTools = Array.isArray(body.tools) && body.tools.length === 0 ? ['tools'] : [];
  return { edits: [...refused, ...emptyTools].map((name) => remove([name])), ignored };
}

/** Fields of responses that callers send back; leaving them out needs no mention. */
const responseFields = ['refusal', 'annotations', 'audio', 'function_call', 'parsed', 'name'];

function messageChanges(body: JsonObject, { roleNames, messages: rules }: RequestRules): RequestChanges {
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
  return mergeChanges(changes);
}

interface PlacedMessage {
  message: JsonObject;
  /** The provider's own name of the role. */
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

/** Fields that are left out need no other change. */
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
      if (message[name] !== null && !responseFields.includes(name)) ignored.push(`messages.${name}`);
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
      // The position in a stream is meaningless in a list.
      if (call[name] !== null && name !== 'index') lost.add(`tool_calls.${name}`);
    }
  }
  return { edits, ignored: [...lost] };
}

/** A conversation that began at another provider has that provider's ids; equal ids stay equal. */
function idEdits(id: string, path: JsonPath, { toolCallIdLength: length }: MessageRules): JsonEdit[] {
  if (length === null || (id.length === length && /^[a-zA-Z0-9]*$/.test(id))) return [];
  return [set(path, shortId(id, length))];
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function shortId(id: string, length: number): string {
  const bytes = createHash('sha256').update(id).digest().subarray(0, length);
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('');
}

/** Marks for a cache that also works without them. */
const cacheMarks = ['cache_control', 'prompt_cache_breakpoint'];

function contentPartChanges(
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

/** Removes the marks of a part or a tool. */
function markChanges(holder: JsonObject, path: JsonPath): RequestChanges {
  const ignored = cacheMarks.filter((name) => holder[name] !== undefined);
  return { edits: ignored.map((name) => remove([...path, name])), ignored };
}

function refusalAsText({ refusal }: JsonObject): JsonObject {
  return { type: 'text', text: textOf(refusal) };
}

/** Mistral has documents by address and audio as bare base64; `null` for a part that stays. https://docs.mistral.ai/api/#tag/chat */
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

function toolChanges({ tools }: JsonObject, { messages: rules }: RequestRules): RequestChanges {
  if (rules === null || !Array.isArray(tools)) return noChanges;
  return mergeChanges(
    tools.flatMap((tool, place) => {
      if (!isJsonObject(tool)) return [];
      const path: JsonPath = ['tools', place];
      const edits = rules.parts === 'mistral' ? missingParameters(tool, path) : [];
      return [markChanges(tool, path), { edits, ignored: [] }];
    }),
  );
}

/** Parameters are optional in OpenAI's format and mandatory at Mistral. */
function missingParameters({ function: callee }: JsonObject, path: JsonPath): JsonEdit[] {
  if (!isJsonObject(callee) || isJsonObject(callee.parameters)) return [];
  return [set([...path, 'function', 'parameters'], { type: 'object', properties: {} })];
}
