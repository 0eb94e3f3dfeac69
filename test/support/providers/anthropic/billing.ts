/** Messages with usage, and the facts that are read from them. */
import { expect } from 'vitest';
import type { BillingFacts } from '#lambdas/inference/completion/facts.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { addUsage, type BilledPart, noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { completionFor, streamFor } from './call.ts';
import { toMessageEvents } from './message-events.ts';

export const textBlock = { type: 'text', text: 'Hi' };

export function message(overrides: JsonObject = {}): JsonObject {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-4-8',
    content: [textBlock],
    stop_reason: 'end_turn',
    ...overrides,
  };
}

/** Counts in the format of the API. */
export function counts(input: number, output: number, overrides: JsonObject = {}): JsonObject {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    ...overrides,
  };
}

export function tokens(input: number, output: number, overrides: Partial<TokenUsage> = {}): TokenUsage {
  return { ...noUsage, freshInputTokens: input, outputTokens: output, ...overrides };
}

export function part(model: string | null, usage: TokenUsage): BilledPart {
  return { model, usage };
}

/** The sum of all parts has no context, which is that of a single round. */
export function sumOf(parts: readonly BilledPart[]): TokenUsage {
  const { contextTokens: _, ...sum } = parts.map(({ usage }) => usage).reduce(addUsage);
  return sum;
}

export type Billing = Pick<BillingFacts, 'usage' | 'billedParts' | 'reportedCostUsd'>;

/** Returns what is billed, which must be the same in a stream. */
export async function billingFor(response: JsonObject, model = 'claude-opus-4-8'): Promise<Billing> {
  const { facts, usage: shown } = await completionFor(response, { model });
  const streamed = await streamFor(toMessageEvents(response), { model });
  expect(streamed.facts).toMatchObject(facts);
  expect(streamed.usage).toEqual(shown);
  const { usage, billedParts, reportedCostUsd } = facts;
  return { usage, billedParts, reportedCostUsd };
}
