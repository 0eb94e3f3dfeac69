/** Errors within a stream: the event `error`, and then the failed response. */
import { describe, expect, it } from 'vitest';
import { type ErrorCode, GatewayError } from '#lambdas/platform/errors.ts';
import { objectOrEmpty } from '#lambdas/platform/json/json.ts';
import { openResponsesProblems } from '#test/support/responses/open-responses.ts';
import { eventProblems } from '#test/support/responses/schema.ts';
import { eventsOf, startResponsesWriter } from '#test/support/responses/write.ts';

const broken = new GatewayError('provider_error', { message: 'Broken', param: 'input' });

describe('An error in a stream', () => {
  it('has the next numbers, and the items that are complete', () => {
    const writer = startResponsesWriter({ fields: { instructions: 'Be brief.', metadata: { a: 'b' } } });
    const choice = writer.choice(0);
    writer.identify({ model: 'served-model' });
    choice.reasoning('Hm');
    choice.text('Hel');
    const sent = eventsOf(writer.take().toString());
    writer.fail(broken);
    const text = writer.failure(broken);
    const [error, failed, ...others] = eventsOf(text);

    const { type, code, message, param } = broken.toBody().error;
    const next = sent.length;
    expect(sent.map(({ sequence_number: number }) => number)).toEqual([...sent.keys()]);
    expect(error).toEqual({
      type: 'error',
      sequence_number: next,
      code,
      message,
      param,
      error: { type, code, message, param },
    });
    expect([message, param]).toEqual(['Broken', 'input']);
    expect(failed).toMatchObject({
      type: 'response.failed',
      sequence_number: next + 1,
      response: {
        ...objectOrEmpty(sent[0]?.response),
        status: 'failed',
        model: 'served-model',
        error: { code: 'server_error', message },
        incomplete_details: null,
        completed_at: null,
        usage: null,
        output: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] }],
      },
    });
    expect(objectOrEmpty(failed?.response).output).toHaveLength(1);
    expect([others, text.endsWith('\n\n'), text.startsWith('event: error\n')]).toEqual([[], true, true]);
    expect([error, failed].flatMap(eventProblems)).toEqual([]);
    expect(openResponsesProblems(failed?.response)).toEqual([]);
    expect([writer.take().toString(), writer.facts.ended]).toEqual(['', false]);
  });

  it('may come before the first event', () => {
    const [error, failed, ...others] = eventsOf(startResponsesWriter().failure(broken));
    expect([error, failed, others]).toMatchObject([
      { type: 'error', sequence_number: 0 },
      { type: 'response.failed', sequence_number: 1, response: { model: 'a-model', output: [] } },
      [],
    ]);
    expect([error, failed].flatMap(eventProblems)).toEqual([]);
    expect(openResponsesProblems(failed?.response)).toEqual([]);
  });

  it.each<[code: ErrorCode, failureCode: string]>([
    ['rate_limit_exceeded', 'rate_limit_exceeded'],
    ['provider_rejected_request', 'invalid_prompt'],
    ['provider_unavailable', 'server_error'],
    ['invalid_request_error', 'invalid_prompt'],
    ['provider_error', 'server_error'],
    ['provider_timeout', 'server_error'],
    ['internal_error', 'server_error'],
  ])('of the code %s fails the response with %s', (code, failureCode) => {
    const [, failed] = eventsOf(startResponsesWriter().failure(new GatewayError(code, { message: 'No' })));
    expect(objectOrEmpty(failed?.response).error).toEqual({ code: failureCode, message: 'No' });
  });
});
