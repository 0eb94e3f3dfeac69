import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ignoredParametersHeader } from '#lambdas/inference/exchange/response-headers.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import { errorResponse } from '#test/support/providers/openai/error-response.ts';

const messages = [{ role: 'user', content: 'Say hello' }];

describe('x-gateway-ignored-parameters', () => {
  let fixture: ChatFixture;
  beforeAll(async () => {
    fixture = await startChatFixture();
  });
  afterAll(() => fixture.stop());

  const headerFor = async (fields: object, status = 200) => {
    const { upstream, gateway } = await fixture.setUp();
    if (status !== 200) upstream.script(errorResponse(status));
    const response = await gateway.post({ model: 'mistral/m', messages, ...fields });
    expect(response.status).toBe(status);
    return response.headers['x-gateway-ignored-parameters'];
  };

  it('lists ignored parameters in completions, streams and error responses', async () => {
    const fields = { user: 'ada', store: true };

    expect(await headerFor(fields)).toBe('store, user');
    expect(await headerFor({ ...fields, stream: true })).toBe('store, user');
    expect(await headerFor(fields, 429)).toBe('store, user');
  });

  it('omits the header when no parameter was ignored', async () => {
    expect(await headerFor({})).toBeUndefined();
  });

  it("escapes special characters in the caller's field names", async () => {
    const [message] = messages;

    expect(await headerFor({ messages: [{ ...message, 'x\r\nset-cookie: a': 1, '日,': 2 }] })).toBe(
      'messages.x%0D%0Aset-cookie%3A%20a, messages.%E6%97%A5%2C',
    );
  });
});

describe('ignoredParametersHeader', () => {
  it('returns a valid header value of less than 3 kB for any names', () => {
    const header = ignoredParametersHeader(
      Array.from({ length: 1000 }, (_, index) => `${index}\ud800日`.repeat(99)),
    );

    expect(header).toMatch(/^[!-~]+(, [!-~]+){40}$/);
    expect(header.length).toBeLessThan(3000);
    expect(header.endsWith(', ...')).toBe(true);
  });
});
