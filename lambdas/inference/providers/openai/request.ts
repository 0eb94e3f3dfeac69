/** Adapts a request to a provider that accepts only a part of OpenAI's format, or uses other names. */
import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, stringOrEmpty } from '#lambdas/platform/json/json.ts';
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

/** Throws a `GatewayError` (400) that names an unsupported field that cannot be left out. */
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

/** Providers without `stream_options` always send usage, so only the other options are reported as ignored. */
function streamOptionChanges({ stream_options: options }: JsonObject): RequestChanges {
  if (options === undefined) return noChanges;
  const others = isJsonObject(options) ? Object.keys(options).filter((name) => name !== 'include_usage') : [];
  return { edits: [remove(['stream_options'])], ignored: others.map((name) => `stream_options.${name}`) };
}

function renameEdits(body: JsonObject, { parameterNames }: RequestRules): JsonEdit[] {
  return [...parameterNames].flatMap(([name, providerName]) => {
    if (body[name] === undefined) return [];
    return body[name] === null ? [remove([name])] : [copy([providerName], [name]), remove([name])];
  });
}

function parameterChanges(
  body: JsonObject,
  { provider, rules: { parameters: supported } }: { provider: string; rules: RequestRules },
): RequestChanges {
  if (supported === null) return noChanges;
  const ignored = ignoredParameters(body, { provider, supported });
  const unsupported = openAiParameterNames.filter((name) => body[name] !== undefined && !supported.has(name));
  const emptyTools = Array.isArray(body.tools) && body.tools.length === 0 ? ['tools'] : [];
  return { edits: [...unsupported, ...emptyTools].map((name) => remove([name])), ignored };
}

/** Response fields that callers send back in later requests; leaving them out is not reported. */
const responseFields = ['refusal', 'annotations', 'audio', 'function_call', 'parsed', 'name'];

function messageChanges(body: JsonObject, { roleNames, messages: rules }: RequestRules): RequestChanges {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const changes = messages.flatMap((message, position) => {
    if (!isJsonObject(message)) return [];
    const path: JsonPath = ['messages', position];
    const newRole = roleNames.get(stringOrEmpty(message.role));
    const roleChanges = {
      edits: newRole === undefined ? [] : [set([...path, 'role'], newRole)],
      ignored: [],
    };
    if (rules === null) return [roleChanges];
    const located = { message, role: newRole ?? stringOrEmpty(message.role), path, rules };
    const known = knownFields(located);
    return [
      roleChanges,
      fieldChanges(located, known),
      toolCallChanges({ ...located, message: keptFields(message, known) }),
      contentPartChanges(message.content, [...path, 'content'], rules),
    ];
  });
  return mergeChanges(changes);
}

interface LocatedMessage {
  message: JsonObject;
  role: string;
  path: JsonPath;
  rules: MessageRules;
}

function knownFields({ role, path, rules }: LocatedMessage): readonly string[] {
  const known = rules.fields.get(role);
  if (known !== undefined) return known;
  const param = `messages[${path[1]}].role`;
  throw unsupportedParameter(param, `${param} is not a role that this provider supports`);
}

/** Fields that are left out need no further changes. */
function keptFields(message: JsonObject, known: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(message).filter(([name]) => known.includes(name)));
}

function fieldChanges({ message, path, rules }: LocatedMessage, known: readonly string[]): RequestChanges {
  const at = `messages[${path[1]}]`;
  if (isJsonObject(message.function_call) && !known.includes('function_call')) {
    const param = `${at}.function_call`;
    throw unsupportedParameter(param, `${param} is not supported by this provider: use tool_calls`);
  }
  const edits: JsonEdit[] = [];
  const isRefusal = typeof message.refusal === 'string' && (message.content ?? '') === '';
  if (isRefusal) edits.push(copy([...path, 'content'], [...path, 'refusal']));
  const ignored: string[] = [];
  for (const name of Object.keys(message).filter((field) => !known.includes(field))) {
    const newName = rules.fieldNames.get(name);
    if (newName === undefined) {
      if (message[name] !== null && !responseFields.includes(name)) ignored.push(`messages.${name}`);
    } else if (message[newName] == null) edits.push(copy([...path, newName], [...path, name]));
    edits.push(remove([...path, name]));
  }
  return { edits, ignored };
}

function toolCallChanges({ message, path, rules }: LocatedMessage): RequestChanges {
  const edits: JsonEdit[] = [];
  const { tool_call_id: toolCallId, tool_calls: calls } = message;
  if (typeof toolCallId === 'string') edits.push(...idEdits(toolCallId, [...path, 'tool_call_id'], rules));
  const ignored = new Set<string>();
  for (const [position, call] of (Array.isArray(calls) ? calls : []).entries()) {
    if (!isJsonObject(call)) continue;
    const callPath = [...path, 'tool_calls', position];
    if (typeof call.id === 'string') edits.push(...idEdits(call.id, [...callPath, 'id'], rules));
    for (const name of Object.keys(call).filter((field) => !rules.toolCallFields.includes(field))) {
      edits.push(remove([...callPath, name]));
      // `index` belongs to stream chunks and is meaningless here.
      if (call[name] !== null && name !== 'index') ignored.add(`tool_calls.${name}`);
    }
  }
  return { edits, ignored: [...ignored] };
}

/** Replaces a tool call id that another provider generated earlier in the conversation. Equal ids stay equal. */
function idEdits(id: string, path: JsonPath, { toolCallIdLength: length }: MessageRules): JsonEdit[] {
  if (length === null || (id.length === length && /^[a-zA-Z0-9]*$/.test(id))) return [];
  return [set(path, shortId(id, length))];
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function shortId(id: string, length: number): string {
  const bytes = createHash('sha256').update(id).digest().subarray(0, length);
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('');
}

/** Cache breakpoints can be left out, since these providers cache prompts automatically. */
const cacheBreakpoints = ['cache_control', 'prompt_cache_breakpoint'];

function contentPartChanges(
  content: unknown,
  path: JsonPath,
  { parts }: Pick<MessageRules, 'parts'>,
): RequestChanges {
  const edits: JsonEdit[] = [];
  const ignored: string[] = [];
  for (const [position, part] of (Array.isArray(content) ? content : []).entries()) {
    if (!isJsonObject(part)) continue;
    const partPath = [...path, position];
    const replacement =
      part.type === 'refusal' ? refusalAsText(part) : parts === 'mistral' ? mistralPart(part) : null;
    const removed = cacheBreakpointChanges(part, partPath);
    ignored.push(...removed.ignored);
    edits.push(...(replacement === null ? removed.edits : [set(partPath, replacement)]));
  }
  return { edits, ignored };
}

function cacheBreakpointChanges(partOrTool: JsonObject, path: JsonPath): RequestChanges {
  const ignored = cacheBreakpoints.filter((name) => partOrTool[name] !== undefined);
  return { edits: ignored.map((name) => remove([...path, name])), ignored };
}

function refusalAsText({ refusal }: JsonObject): JsonObject {
  return { type: 'text', text: stringOrEmpty(refusal) };
}

/**
 * Mistral's format references documents by URL and has audio as plain base64. Returns `null` for a part that does not
 * change. https://docs.mistral.ai/api/#tag/chat
 */
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
    tools.flatMap((tool, position) => {
      if (!isJsonObject(tool)) return [];
      const path: JsonPath = ['tools', position];
      const edits = rules.parts === 'mistral' ? missingParameterEdits(tool, path) : [];
      return [cacheBreakpointChanges(tool, path), { edits, ignored: [] }];
    }),
  );
}

/** `parameters` is optional in OpenAI's format and mandatory in Mistral's. */
function missingParameterEdits({ function: definition }: JsonObject, path: JsonPath): JsonEdit[] {
  if (!isJsonObject(definition) || isJsonObject(definition.parameters)) return [];
  return [set([...path, 'function', 'parameters'], { type: 'object', properties: {} })];
}
