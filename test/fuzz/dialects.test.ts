/** The caller gets the completion or an error, never another completion, and the log entry says which. */
import { expect, it } from 'vitest';
import type { HttpTransport } from '#lambdas/inference/providers/http/client.ts';
import { filterObjects, objectOrEmpty, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { fc } from '#test/support/fast-check.ts';
import { readChunks } from '../support/http/read-chunks.ts';
import { assembleStream, toExpectedChoice } from '../support/openai-schema/assemble-stream.ts';
import { type DialectResponse, dialectResponse, toolNames } from './arbitraries/dialect-responses.ts';
import { caseCount } from './cases.ts';
import { chatEvent, createFuzzGateway, type FuzzResult } from './gateway.ts';
import { logEntryProblems, responseProblems } from './response-checks.ts';

const gateway = createFuzzGateway();
const tools = toolNames.map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object' } },
}));

function send({ protocol, stream, chunks, contentType }: DialectResponse): Promise<FuzzResult> {
  const transport: HttpTransport = async () => ({
    status: 200,
    headers: contentType === undefined ? {} : { 'content-type': contentType },
    read: readChunks(chunks),
  });
  const body = {
    model: `${protocol}/m`,
    messages: [{ role: 'user', content: 'Hi' }],
    tools,
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
  };
  return gateway.send(chatEvent(gateway, body), transport);
}

function expectedChoice({ reasoning, text, calls, finish }: DialectResponse['completion']) {
  return {
    content: text || null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ name, arguments: json }) => ({ name, arguments: JSON.parse(json) })),
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

it('returns the completion or an error, whatever a server does differently', async () => {
  let [completed, failed] = [0, 0];
  await fc.assert(
    fc.asyncProperty(dialectResponse, async (response) => {
      const { completion, stream, isCut } = response;
      const result = await send(response);
      expect([...responseProblems(result), ...logEntryProblems(result)]).toEqual([]);
      const { choices, ids, tokens, error } = received(result, stream);
      const [entry] = result.entries;
      if (error !== undefined && error !== null) {
        expect([isCut, entry?.outcome]).toEqual([true, 'provider_error']);
        failed += 1;
        return;
      }
      expect(isCut).toBe(false);
      const { refusal: _, ...choice } = toExpectedChoice(choices[0]);
      expect(choice).toEqual(expectedChoice(completion));
      expect(new Set(ids).size).toBe(completion.calls.length);
      expect(tokens).toEqual([19, 5]);
      expect(entry).toMatchObject({
        outcome: 'completed',
        finish_reason: completion.finish,
        input_tokens: 19,
        output_tokens: 5,
        usage_source: 'provider',
      });
      completed += 1;
    }),
    { numRuns: caseCount('dialects') },
  );
  expect(Math.min(completed, failed)).toBeGreaterThan(caseCount('dialects') / 50);
});
