/** Translates the turns of a conversation to `contents` of the Gemini API: https://ai.google.dev/api/caching#Content */
import type { ContentPart, MediaPart, MediaSource } from '#lambdas/inference/completion/content.ts';
import {
  type AssistantPart,
  type AssistantTurn,
  callsIn,
  type DialogTurn,
  type Payload,
  type ToolResult,
  type UserTurn,
} from '#lambdas/inference/completion/conversation.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { parseExactJsonObject } from '#lambdas/platform/json/exact-json.ts';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { withUniqueCallIds } from '../translation/tool-call-ids.ts';
import type { GoogleModel } from './models.ts';

interface Call {
  name: string;
  position: number;
}

/** The function calls so far. */
interface Calls {
  byId: Map<string, Call>;
  count: number;
}

export function googleContents(turns: readonly DialogTurn[], model: GoogleModel): JsonObject[] {
  const calls: Calls = { byId: new Map(), count: 0 };
  return withUniqueCallIds(turns, (id) => id).flatMap((turn) =>
    turn.role === 'user' ? [userContent(turn, calls, model)] : modelContent(turn, calls, model),
  );
}

/** Adds an empty text to an empty turn, since the API requires a part. */
function userContent({ toolResults, parts }: UserTurn, calls: Calls, model: GoogleModel): JsonObject {
  const results = toolResults
    .map((result) => ({ result, call: findCall(result, calls) }))
    // Models before Gemini 3 match results to calls only by their order.
    .sort((left, right) => left.call.position - right.call.position);
  const translated = [
    ...results.map(({ result, call }) => functionResponse(result, call.name, model)),
    ...results.flatMap(({ result }) => mediaBesideResult(result, model)),
    ...parts.map(googlePart),
  ];
  return { role: 'user', parts: translated.length === 0 ? [{ text: '' }] : translated };
}

function findCall({ toolCallId, param }: ToolResult, calls: Calls): Call {
  const call = calls.byId.get(toolCallId);
  if (call !== undefined) return call;
  throw invalidRequestError(param, `${param} must be the id of a tool call in an earlier assistant message`);
}

/**
 * Replaces the mandatory signature in calls of another model, or when the caller did not keep it.
 * https://ai.google.dev/gemini-api/docs/thought-signatures#faqs
 */
const placeholderSignature = 'skip_thought_signature_validator';

function modelContent({ messages }: AssistantTurn, calls: Calls, model: GoogleModel): JsonObject[] {
  const parts = messages.flatMap((message) => message.parts.flatMap(modelPart));
  for (const { id, name } of callsIn(messages)) {
    calls.byId.set(id, { name, position: calls.count++ });
  }
  const first = parts.find(({ functionCall }) => functionCall !== undefined);
  if (first !== undefined && model.requiresThoughtSignatures) first.thoughtSignature ??= placeholderSignature;
  return parts.length === 0 ? [] : [{ role: 'model', parts }];
}

/** Leaves out reasoning, which the API does not take back. */
function modelPart(part: AssistantPart): JsonObject[] {
  switch (part.type) {
    case 'text':
      return [{ text: part.text, ...signatureField(part.payload) }];
    case 'call': {
      const { id, name, arguments: args } = part;
      return [{ functionCall: { id, name, args }, ...signatureField(part.payload) }];
    }
    case 'reasoning':
    case 'custom_call':
      return [];
    default:
      return part satisfies never;
  }
}

function signatureField(payload: Payload | null): JsonObject {
  return payload?.format === 'google' ? { thoughtSignature: payload.data } : {};
}

/** https://ai.google.dev/api/caching#Part */
export function googlePart(part: ContentPart): JsonObject {
  return part.type === 'text' ? { text: part.text } : mediaPart(part);
}

/** The API fetches URLs itself: https://ai.google.dev/gemini-api/docs/file-input-methods */
function mediaPart({ source }: MediaPart): JsonObject {
  if (source.kind === 'base64') return inlineData(source);
  const mimeType = guessMediaType(source.url);
  return { fileData: { ...(mimeType !== undefined && { mimeType }), fileUri: source.url } };
}

function inlineData({ mediaType, data }: Extract<MediaSource, { kind: 'base64' }>): JsonObject {
  return { inlineData: { mimeType: mediaType, data } };
}

/** The documented media types by file extension. The API detects others. */
const mediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  csv: 'text/csv',
  xml: 'text/xml',
  json: 'application/json',
  wav: 'audio/wav',
  mp3: 'audio/mp3',
  aac: 'audio/aac',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  m4a: 'audio/m4a',
  mp4: 'video/mp4',
  mov: 'video/mov',
  webm: 'video/webm',
  mpeg: 'video/mpeg',
};

function guessMediaType(url: string): string | undefined {
  const [, match = ''] = /\.(\w+)(?:[?#]|$)/.exec(url.slice(url.lastIndexOf('/') + 1)) ?? [];
  const extension = match.toLowerCase();
  return Object.hasOwn(mediaTypes, extension) ? mediaTypes[extension] : undefined;
}

type InlineMediaPart = MediaPart & { source: Extract<MediaSource, { kind: 'base64' }> };

/** Errors are in the documented `error`. https://ai.google.dev/api/caching#FunctionResponse */
function functionResponse(
  { toolCallId, parts, isError }: ToolResult,
  name: string,
  model: GoogleModel,
): JsonObject {
  const inlineParts = parts.filter((part): part is InlineMediaPart => fitsIntoResult(part, model));
  const media = inlineParts.map(({ source }) => inlineData(source));
  return {
    functionResponse: {
      id: toolCallId,
      name,
      response: isError ? { error: textOf(parts) } : toResponseObject(parts),
      ...(media.length > 0 && { parts: media }),
    },
  };
}

/** Media that cannot be part of the result itself follows the results in the same turn. */
function mediaBesideResult({ parts }: ToolResult, model: GoogleModel): JsonObject[] {
  return parts.filter((part) => part.type === 'media' && !fitsIntoResult(part, model)).map(googlePart);
}

function fitsIntoResult(part: ContentPart, model: GoogleModel): part is InlineMediaPart {
  return part.type === 'media' && part.source.kind === 'base64' && model.supportsMediaInFunctionResponses;
}

/** The API requires an object. Text that is a JSON object is sent unchanged, other text in the documented `output`. */
function toResponseObject(parts: readonly ContentPart[]): JsonObject {
  const text = textOf(parts);
  return exactObject(text) ?? { output: text };
}

function textOf(parts: readonly ContentPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/**
 * Returns `null` for an object that the API would alter: it rounds numbers like JavaScript, and interprets `$ref` as a
 * reference to a part. https://github.com/vercel/ai/issues/14369
 */
function exactObject(text: string): JsonObject | null {
  const exact = parseExactJsonObject(text);
  if (exact === null) return null;
  const value = parseJsonObject(text);
  const serialized = JSON.stringify(value);
  return JSON.stringify(exact) === serialized && !serialized.includes('"$ref":') ? value : null;
}
