/** Exchanges with Google's protocol without a network, and what the API would say to the request. */

import { createGoogleProtocol } from '#lambdas/inference/providers/google/protocol.ts';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { callProvider, providerCall, readBody, readStream, type ScriptedResponse } from '../provider-call.ts';
import { generateContentRequest, wordsOf } from './generate-content.ts';
import { refusalOf } from './generate-rules.ts';

interface Circumstances {
  reply?: ScriptedResponse;
  apiKey?: string | null;
  callerHeaders?: Record<string, string>;
}

const google = { name: 'google', baseUrl: 'https://generativelanguage.googleapis.com/v1beta' };

/** `request` in OpenAI's format; its model needs no prefix. */
export function callGoogle(
  request: Record<string, unknown>,
  { reply, apiKey = 'sk-1', callerHeaders = {} }: Circumstances = {},
) {
  const call = providerCall({ model: 'gemini-3.5-flash', ...request }, { apiKey, callerHeaders });
  return callProvider(createGoogleProtocol, google, { call, reply });
}

/** What Google is sent, which the API would accept. */
export async function acceptedBody(request: Record<string, unknown>): Promise<JsonObject> {
  const { body } = await callGoogle(request);
  const { data, error } = generateContentRequest.safeParse(body);
  const model = typeof request.model === 'string' ? request.model : 'gemini-3.5-flash';
  const refusal = error === undefined ? refusalOf(data, model) : wordsOf(error);
  if (refusal !== null) throw new Error(`The API refuses this: ${refusal}`);
  return body;
}

/** What becomes of a whole answer: an object, or its text where numbers have digits of their own. */
export async function completionFor(response: object | string) {
  const text = typeof response === 'string' ? response : JSON.stringify(response);
  const reply = { body: [text], headers: { 'content-type': 'application/json; charset=UTF-8' } };
  const { text: completion, ...rest } = await readBody(await callGoogle({}, { reply }));
  return { answer: parseJsonObject(completion), ...rest };
}

export function googleEvent(response: object): Buffer {
  return Buffer.from(`data: ${JSON.stringify(response)}\r\n\r\n`);
}

/** What becomes of a streamed answer: its chunks, or the bytes in which they come. */
export async function streamFor(chunks: readonly object[] | readonly Buffer[]) {
  const body = chunks.map((chunk) => (Buffer.isBuffer(chunk) ? chunk : googleEvent(chunk)));
  const request = { stream: true, stream_options: { include_usage: true } };
  return readStream(await callGoogle(request, { reply: { body } }));
}
