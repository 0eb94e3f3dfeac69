/** Calls Google's protocol without a network and validates the request as the API does. */

import { expect } from 'vitest';
import type { BillingFacts } from '#lambdas/inference/completion/facts.ts';
import { createGoogleProtocol } from '#lambdas/inference/providers/google/protocol.ts';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { callProvider, providerCall, readBody, readStream, type ScriptedResponse } from '../provider-call.ts';
import { findRejection } from './request-rules.ts';
import { formatIssues, generateContentRequest } from './request-schema.ts';

interface CallOptions {
  response?: ScriptedResponse;
  apiKey?: string | null;
  callerHeaders?: Record<string, string>;
}

const google = { name: 'google', baseUrl: 'https://generativelanguage.googleapis.com/v1beta' };

/** `request` is in OpenAI's format; its model needs no provider prefix. */
export function callGoogle(
  request: Record<string, unknown>,
  { response, apiKey = 'sk-1', callerHeaders = {} }: CallOptions = {},
) {
  const call = providerCall({ model: 'gemini-3.5-flash', ...request }, { apiKey, callerHeaders });
  return callProvider(createGoogleProtocol, google, { call, response });
}

/** Throws if the API would reject the request. */
export async function acceptedBody(request: Record<string, unknown>): Promise<JsonObject> {
  const { body } = await callGoogle(request);
  const { data, error } = generateContentRequest.safeParse(body);
  const model = typeof request.model === 'string' ? request.model : 'gemini-3.5-flash';
  const rejection = error === undefined ? findRejection(data, model) : formatIssues(error);
  if (rejection !== null) throw new Error(`The API would reject this request: ${rejection}`);
  return body;
}

/** Pass JSON text to preserve the digits of its numbers. */
export async function completionFor(generated: object | string, headers: Record<string, string> = {}) {
  const text = typeof generated === 'string' ? generated : JSON.stringify(generated);
  const contentType = { 'content-type': 'application/json; charset=UTF-8' };
  const response = { body: [text], headers: { ...contentType, ...headers } };
  const { text: completionText, ...rest } = await readBody(await callGoogle({}, { response }));
  return { completion: parseJsonObject(completionText), ...rest };
}

export function googleEvent(generated: object): Buffer {
  return Buffer.from(`data: ${JSON.stringify(generated)}\r\n\r\n`);
}

export async function streamFor(
  chunks: readonly object[] | readonly Buffer[],
  headers: Record<string, string> = {},
) {
  const body = chunks.map((chunk) => (Buffer.isBuffer(chunk) ? chunk : googleEvent(chunk)));
  const request = { stream: true, stream_options: { include_usage: true } };
  return readStream(await callGoogle(request, { response: { body, headers } }));
}

/** Calls the protocol with a response of one candidate, and expects the stream to have the same facts. */
export async function billingFor(
  usageMetadata: unknown,
  { headers = {}, ...candidate }: { headers?: Record<string, string> } & Record<string, unknown> = {},
): Promise<BillingFacts> {
  const body = { candidates: [{ finishReason: 'STOP', ...candidate }], usageMetadata };
  const billing = billingIn((await completionFor(body, headers)).facts);
  expect(billingIn((await streamFor([body], headers)).facts)).toEqual(billing);
  return billing;
}

export function billingIn(facts: BillingFacts): BillingFacts {
  const { usage, billedParts, usageWarnings, serviceTier, speed, inferenceGeo, ...others } = facts;
  const { pricingGaps, reportedCostUsd } = others;
  return {
    usage,
    billedParts,
    usageWarnings,
    serviceTier,
    speed,
    inferenceGeo,
    pricingGaps,
    reportedCostUsd,
  };
}
