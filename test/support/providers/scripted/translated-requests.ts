/** Reads requests as providers without the caller's API receive them, in the format of each. */
import { expect } from 'vitest';
import {
  isJsonObject,
  type JsonObject,
  parseJsonObject,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';
import type { Script } from '../script-turns.ts';
import type { RecordedRequest } from '../upstream-responses.ts';

/** Whether the request asks for a stream, in the body or by its address. */
export function isStreamed({ url, body }: RecordedRequest): boolean {
  return /stream/i.test(url) || parseJsonObject(body.toString())?.stream === true;
}

/** Expects that no request has the caller's key, or the session, but in fields in which the caller has sent it itself. */
export function expectNoSecrets(script: Script, secrets: readonly string[]): void {
  for (const { rawHeaders, body, url } of script.requests()) {
    const { user, prompt_cache_key, ...fields } = parseJsonObject(body.toString()) ?? {};
    const sent = [url, ...rawHeaders, JSON.stringify(fields)].join('\n');
    for (const secret of [...secrets, 'device_id', 'x-claude-code', 'anthropic-beta'])
      expect(sent).not.toContain(secret);
  }
}

/** The objects in all depths of the latest request that have the field, from the first to the last. */
export function objectsWith(script: Script, field: string): JsonObject[] {
  return findObjects(parseJsonObject(script.requests().at(-1)?.body.toString() ?? ''), field);
}

function findObjects(value: unknown, field: string): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((item) => findObjects(item, field));
  if (!isJsonObject(value)) return [];
  const inner = Object.values(value).flatMap((item) => findObjects(item, field));
  return field in value ? [value, ...inner] : inner;
}

/** The results of tools in the latest request. */
export function textsOfResults(script: Script): string[] {
  const results = [
    ...objectsWith(script, 'functionResponse').map(({ functionResponse }) => functionResponse),
    ...objectsWith(script, 'toolResult').map(({ toolResult }) => toolResult),
    ...objectsWith(script, 'tool_call_id').map(({ content }) => content),
    ...objectsWith(script, 'tool_use_id').map(({ content }) => content),
    ...objectsWith(script, 'call_id').flatMap(({ output }) => (output === undefined ? [] : [output])),
  ];
  return results.map((result) => textsIn(result).join(''));
}

/** All texts but names and ids. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value.trimEnd()];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    /^(id|name|type|status|toolUseId|tool_use_id)$/.test(name) ? [] : textsIn(item),
  );
}

interface ExpectedReasoning {
  model: string;
  reasoning: string;
  steps: number;
  /** Whether the caller has asked to see the reasoning. Default: true. */
  isShown?: boolean;
}

/** Expects that the provider gets back what it needs of the reasoning of each step. */
export function expectReasoningReturned(
  script: Script,
  { model, reasoning, steps, isShown = true }: ExpectedReasoning,
): void {
  const provider = model.slice(0, model.indexOf('/'));
  const expected = Array(steps).fill(reasoning);
  if (provider === 'google') {
    const signatures = objectsWith(script, 'thoughtSignature').map((part) =>
      stringOrEmpty(part.thoughtSignature),
    );
    // The fake accepts only its own, at their calls, and a placeholder that stands for any.
    expect(new Set(signatures).size).toBe(steps);
    expect(signatures.filter((signature) => signature.startsWith('skip_'))).toEqual([]);
  } else if (provider === 'anthropic') {
    // The fakes accept only their own signatures, each with the thinking that it belongs to.
    expect(textsWith(script, 'signature', 'thinking')).toEqual(expected);
  } else if (model.includes('claude')) {
    expect(textsWith(script, 'signature', 'text')).toEqual(expected);
  } else if (/^openai\/gpt-5\.[4-9]/.test(model)) {
    // Beside tools, these reason by the Responses API only, whose fake takes what it has encrypted back unchanged.
    expect(textsWith(script, 'encrypted_content', 'summary')).toEqual(
      expected.map((text) => (isShown ? [{ type: 'summary_text', text }] : [])),
    );
  } else {
    // OpenAI's chat completions do not show reasoning, and models of Bedrock without signatures do not take it back.
    const isTaken = provider === 'vllm' || provider === 'ollama';
    expect(textsWith(script, 'reasoning', 'reasoning')).toEqual(isTaken ? expected : []);
  }
}

/** The texts of the objects that have a field besides. */
function textsWith(script: Script, field: string, text: string): unknown[] {
  return objectsWith(script, field).map((object) => object[text]);
}
