/**
 * Whatever a server does differently from the format that it implements, the caller gets the answer or an error, never a
 * different answer, and the log entry says which.
 */
import { expect, it } from 'vitest';
import type { HttpTransport } from '#lambdas/inference/providers/http/client.ts';
import { filterObjects, objectOrEmpty, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { fc } from '#test/support/fast-check.ts';
import { readChunks } from '../support/http/read-chunks.ts';
import { assembleStream, toExpectedChoice } from '../support/openai-schema/assemble-stream.ts';
import type { Answer } from '../support/providers/dialects/answer.ts';
import { type DialectResponse, dialectResponse, offeredTools } from './arbitraries/dialect-responses.ts';
import { caseCount } from './cases.ts';
import { chatEvent, createFuzzGateway, type FuzzResult } from './gateway.ts';
import { logEntryProblems, responseProblems } from './response-checks.ts';

const gateway = createFuzzGateway();

function send({ protocol, stream, chunks, contentType }: DialectResponse): Promise<FuzzResult> {
  const transport: HttpTransport = async () => ({
    status: 200,
    headers: contentType === undefined ? {} : { 'content-type': contentType },
    read: readChunks(chunks),
  });
  const body = {
    model: `${protocol}/m`,
    messages: [{ role: 'user', content: 'Hi' }],
    tools: offeredTools,
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
  };
  return gateway.send(chatEvent(gateway, body), transport);
}

function expectedChoice({ reasoning, texts, calls, finish }: Answer) {
  return {
    content: texts.join('') || null,
    ...(reasoning.length > 0 && { reasoning_content: reasoning.join('') }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ name, arguments: input }) => ({ name, arguments: input })),
    }),
    finish_reason: finish,
  };
}

function received({ text, status }: FuzzResult, stream: boolean) {
  const { choices, usage, error } =
    stream && status === 200 ? assembleStream(text) : objectOrEmpty(parseJsonObject(text));
  const ids = filterObjects(choices).flatMap(({ message }) =>
    filterObjects(objectOrEmpty(message).tool_calls).map(({ id }) => id),
  );
  const { prompt_tokens, completion_tokens } = objectOrEmpty(usage);
  return { choices: filterObjects(choices), ids, tokens: [prompt_tokens, completion_tokens], error };
}

it('returns the answer or an error, whatever a server does differently', async () => {
  let [completed, failed] = [0, 0];
  await fc.assert(
    fc.asyncProperty(dialectResponse, async (response) => {
      const { answer, stream, cutAt } = response;
      const result = await send(response);
      expect([...responseProblems(result), ...logEntryProblems(result)]).toEqual([]);
      const { choices, ids, tokens, error } = received(result, stream);
      const [entry] = result.entries;
      if (error !== undefined && error !== null) {
        expect([cutAt === null, entry?.outcome]).toEqual([false, 'provider_error']);
        failed += 1;
        return;
      }
      expect(cutAt).toBeNull();
      const { refusal: _, ...choice } = toExpectedChoice(choices[0]);
      expect(choice).toEqual(expectedChoice(answer));
      expect(new Set(ids).size).toBe(answer.calls.length);
      expect(tokens).toEqual([answer.inputTokens, answer.outputTokens]);
      expect(entry).toMatchObject({
        outcome: 'completed',
        finish_reason: answer.finish,
        input_tokens: answer.inputTokens,
        output_tokens: answer.outputTokens,
        usage_source: 'provider',
      });
      completed += 1;
    }),
    { numRuns: caseCount('dialects') },
  );
  expect(Math.min(completed, failed)).toBeGreaterThan(caseCount('dialects') / 50);
});
