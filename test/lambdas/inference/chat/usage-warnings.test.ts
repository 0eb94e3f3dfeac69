/** Usage that is reported and cannot be right. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DialectGateway, startDialectGateway } from '#test/support/chat/dialect-gateway.ts';
import {
  contradictingTotals,
  eventsWith,
  eventsWithDecreasingOutput,
  exampleRates,
  outputOf,
  wholeWith,
} from '#test/support/providers/dialects/missing-usage.ts';
import {
  type Protocol,
  protocols,
  responseFormats,
} from '#test/support/providers/dialects/response-formats.ts';
import { jsonResponse, streamResponse } from '#test/support/providers/upstream-responses.ts';

const forms = [true, false];

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(() => gateway.stop());

/** The price of 19 input tokens and this many output tokens. */
function costOf(protocol: Protocol, outputTokens: number): string {
  const { input, output } = exampleRates[protocol];
  return String(Number(((19 * input + outputTokens * output) / 1_000_000).toFixed(12)));
}

describe.each(protocols)('Counts of %s that decrease', (protocol) => {
  it('keep the higher count and its cost, as an assumed price', async () => {
    for (const stream of forms) {
      const respond = streamResponse(eventsWithDecreasingOutput(protocol));
      const { caller, entry } = await gateway.ask({ protocol, stream, respond });
      expect(caller).toMatchObject({ content: 'Hello there', usage: { completion_tokens: 9 }, done: true });
      expect(entry).toMatchObject({
        usage_source: 'provider',
        usage_warnings: ['counts_decreased'],
        input_tokens: 19,
        output_tokens: 9,
        pricing: 'assumed',
      });
      expect(Number(entry.cost_usd)).toBe(Number(costOf(protocol, 9)));
    }
  });
});

const protocolsWithTotal = protocols.filter((protocol) => protocol !== 'anthropic');

describe.each(Object.entries(contradictingTotals))('A total that is %s than the counts', (_, report) => {
  it.each(protocolsWithTotal)('makes the price of %s assumed, and not the counts', async (protocol) => {
    for (const [stream, respond] of [
      [true, streamResponse(eventsWith(protocol, { report }))],
      [false, jsonResponse(wholeWith(protocol, { report }))],
    ] as const) {
      const { entry } = await gateway.ask({ protocol, stream, respond });
      expect(entry).toMatchObject({
        usage_source: 'provider',
        usage_warnings: ['total_differs'],
        input_tokens: 19,
        output_tokens: 5,
        cost_usd: responseFormats[protocol].costUsd,
        pricing: 'assumed',
      });
    }
  });

  it('means nothing in the format of Anthropic, which has none', async () => {
    const respond = jsonResponse(wholeWith('anthropic', { report }));
    const { entry } = await gateway.ask({ protocol: 'anthropic', stream: false, respond });
    expect(entry).toMatchObject({ usage_warnings: null, pricing: 'table' });
  });
});

describe.each(protocols)('Output of %s', (protocol) => {
  it.each([
    [50, null, 'table'],
    [51, ['output_above_limit'], 'assumed'],
  ] as const)('of %d tokens has the warnings %j with a limit of 50', async (output, warnings, pricing) => {
    const report = outputOf(output);
    for (const [stream, respond] of [
      [true, streamResponse(eventsWith(protocol, { report }))],
      [false, jsonResponse(wholeWith(protocol, { report }))],
    ] as const) {
      const fields = { max_completion_tokens: 50 };
      const { entry } = await gateway.ask({ protocol, stream, respond, fields });
      expect(entry).toMatchObject({ output_tokens: output, usage_warnings: warnings, pricing });
      expect(Number(entry.cost_usd)).toBe(Number(costOf(protocol, output)));
    }
  });
});
