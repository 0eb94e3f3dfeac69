/** Adapts a request to a provider that accepts only a part of OpenAI's format, or uses other names. */
import { createHash } from 'node:crypto';
import type { ChatRequest } from '#lambdas/inference/chat/body.ts';
import {
  chatSettings,
  ignoredMessageFields,
  openAiParameterNames,
} from '#lambdas/inference/chat/parameters.ts';
import type { Setting } from '#lambdas/inference/completion/request.ts';
import { unsupportedParameterError } from '#lambdas/platform/errors.ts';
import { isJsonObject, type JsonObject, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import type { CatalogEntry } from '../catalog.ts';
import { type MessageRules, noRules, type RequestRules, requestRules } from '../request-rules.ts';
import { reasoningFields } from '../settings.ts';
import { ignoredSettings } from '../translation/parameters.ts';
import { cacheBreakpointChanges, contentPartChanges } from './content-parts.ts';
import {
  applyJsonEdits,
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
export function adaptRequest(
  { text, body }: Pick<ChatRequest, 'text' | 'body'>,
  options: { provider: string; entry: CatalogEntry },
): { text: string; ignored: readonly string[] } {
  const { edits, ignored } = requestChanges(body, options);
  return { text: applyJsonEdits(text, edits), ignored };
}

function requestChanges(
  body: JsonObject,
  { provider, entry }: { provider: string; entry: CatalogEntry },
): RequestChanges {
  const rules: RequestRules = entry.requestRules === null ? noRules : requestRules[entry.requestRules];
  return mergeChanges([
    streamOptionChanges(body, entry),
    parameterChanges(body, { provider, rules }),
    messageChanges(body, rules, entry),
    toolChanges(body, rules),
    { edits: renameEdits(body, rules), ignored: [] },
  ]);
}

/** A provider that always sends usage does what `include_usage` asks for, so this is not reported as ignored. */
function streamOptionChanges(
  { stream_options: options }: JsonObject,
  { streamUsage }: Pick<CatalogEntry, 'streamUsage'>,
): RequestChanges {
  if (options === undefined || streamUsage === 'on_request') return noChanges;
  const ignored = Object.entries(objectOrEmpty(options)).filter(
    ([name, value]) => name !== 'include_usage' || (value === true && streamUsage === 'unsupported'),
  );
  return { edits: [remove(['stream_options'])], ignored: ignored.map(([name]) => `stream_options.${name}`) };
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
  const isSupported = ({ name }: Setting) => supported.has(name);
  const ignored = ignoredSettings(chatSettings(body), { provider, isSupported });
  const unsupported = openAiParameterNames.filter((name) => body[name] !== undefined && !supported.has(name));
  const emptyTools = Array.isArray(body.tools) && body.tools.length === 0 ? ['tools'] : [];
  return {
    edits: [...unsupported, ...emptyTools].map((name) => remove([name])),
    ignored: [...ignored, ...ignoredMessageFields(body)],
  };
}

/** Response fields that callers send back in later requests; leaving them out is not reported. */
const responseFields = ['refusal', 'annotations', 'audio', 'function_call', 'parsed', 'name'];

function messageChanges(
  body: JsonObject,
  { roleNames, messages: rules }: RequestRules,
  { reasoningField, acceptsDocuments }: Pick<CatalogEntry, 'reasoningField' | 'acceptsDocuments'>,
): RequestChanges {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const changes = messages.flatMap((message, position) => {
    if (!isJsonObject(message)) return [];
    const path: JsonPath = ['messages', position];
    const newRole = roleNames.get(stringOrEmpty(message.role));
    const roleChanges = {
      edits: newRole === undefined ? [] : [set([...path, 'role'], newRole)],
      ignored: [],
    };
    const reasoning = reasoningEdits(message, path, reasoningField);
    const partChanges = contentPartChanges(message.content, [...path, 'content'], {
      parts: rules?.parts ?? null,
      acceptsDocuments,
    });
    const common = [roleChanges, { edits: reasoning.edits, ignored: [] }, partChanges];
    if (rules === null) return common;
    const located = {
      message: reasoning.message,
      role: newRole ?? stringOrEmpty(message.role),
      path,
      rules,
    };
    const known = knownFields(located);
    return [
      ...common,
      fieldChanges(located, known),
      toolCallChanges({ ...located, message: keptFields(located.message, known) }),
    ];
  });
  return mergeChanges(changes);
}

/** Returns the message without the field that is renamed. If a message has both fields, the provider's own is kept. */
function reasoningEdits(
  message: JsonObject,
  path: JsonPath,
  field: CatalogEntry['reasoningField'],
): { edits: JsonEdit[]; message: JsonObject } {
  const other = reasoningFields.find((name) => name !== field);
  const isRenamed =
    field !== null && other !== undefined && message.role === 'assistant' && message[other] !== undefined;
  if (!isRenamed) return { edits: [], message };
  const { [other]: value, ...rest } = message;
  const isCopied = value !== null && message[field] == null;
  return {
    edits: [...(isCopied ? [copy([...path, field], [...path, other])] : []), remove([...path, other])],
    message: rest,
  };
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
  throw unsupportedParameterError(param, `${param} is not a role that this provider supports`);
}

/** Fields that are left out need no further changes. */
function keptFields(message: JsonObject, known: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(message).filter(([name]) => known.includes(name)));
}

function fieldChanges({ message, path }: LocatedMessage, known: readonly string[]): RequestChanges {
  const at = `messages[${path[1]}]`;
  if (isJsonObject(message.function_call) && !known.includes('function_call')) {
    const param = `${at}.function_call`;
    throw unsupportedParameterError(param, `${param} is not supported by this provider: use tool_calls`);
  }
  const edits: JsonEdit[] = [];
  const isRefusal = typeof message.refusal === 'string' && (message.content ?? '') === '';
  if (isRefusal) edits.push(copy([...path, 'content'], [...path, 'refusal']));
  const ignored: string[] = [];
  for (const name of Object.keys(message).filter((field) => !known.includes(field))) {
    if (message[name] !== null && !responseFields.includes(name)) ignored.push(`messages.${name}`);
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
