import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ignoredParametersHeader } from '#lambdas/inference/chat/response-headers.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat-fixture.ts';
import { errorResponse } from '#test/support/providers/openai/openai-responses.ts';

const messages = [{ role: 'user', content: 'Say hello' }];

describe('What is left out of a request', () => {
  let bench: ChatFixture;
  beforeAll(async () => {
    bench = await startChatFixture();
  });
  afterAll(() => bench.stop());

  const ask = async (form: object, status = 200) => {
    const { upstream, gateway } = await bench.setUp();
    if (status !== 200) upstream.script(errorResponse(status));
    const reply = await gateway.post({ model: 'mistral/m', messages, ...form });
    expect(reply.status).toBe(status);
    return reply.headers['x-gateway-ignored-parameters'];
  };

  it('is named in a header of the answer, whole, streamed or refused', async () => {
    const form = { user: 'ada', store: true };

    expect(await ask(form)).toBe('store, user');
    expect(await ask({ ...form, stream: true })).toBe('store, user');
    expect(await ask(form, 429)).toBe('store, user');
  });

  it('is not named when it is nothing', async () => {
    expect(await ask({})).toBeUndefined();
  });

  it("cannot break the header, though some names are the caller's own", async () => {
    const [message] = messages;

    expect(await ask({ messages: [{ ...message, 'x\r\nset-cookie: a': 1, '日,': 2 }] })).toBe(
      'messages.x%0D%0Aset-cookie%3A%20a, messages.%E6%97%A5%2C',
    );
  });
});

describe('the header of ignored parameters', () => {
  it('stays short, and legal, whatever the names', () => {
    const header = ignoredParametersHeader(
      Array.from({ length: 1000 }, (_, place) => `${place}\ud800日`.repeat(99)),
    );

    expect(header).toMatch(/^[!-~]+(, [!-~]+){40}$/);
    expect(header.length).toBeLessThan(3000);
    expect(header.endsWith(', ...')).toBe(true);
  });
});
