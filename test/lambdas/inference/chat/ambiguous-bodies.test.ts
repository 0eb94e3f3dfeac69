/** Hard budgets, and bodies that servers read differently: duplicate keys, other letter cases, numbers as text. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import { exampleUsage } from '#test/support/providers/openai/events.ts';
import { jsonResponse } from '#test/support/providers/upstream-responses.ts';

type Gateway = Awaited<ReturnType<ChatFixture['setUp']>>;

let fixture: ChatFixture;
let withBudget: Gateway;
let withoutBudget: Gateway;
beforeAll(async () => {
  fixture = await startChatFixture();
  withBudget = await fixture.setUp({ hardLimits: { key: { month: '1000' } } });
  withoutBudget = await fixture.setUp();
});
afterAll(() => fixture.stop());

const completion = {
  model: 'gpt-4o-2024-08-06',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: exampleUsage,
};

interface Result {
  status: number;
  text: string;
  /** The body that the provider has received; `undefined` if it was not called. */
  sent: string | undefined;
  reserved: LogEntry['reserved_usd'] | undefined;
}

async function post(body: string, { gateway, upstream }: Gateway): Promise<Result> {
  const count = upstream.requests.length;
  upstream.script(jsonResponse(completion));
  const { status, text } = await gateway.post(body);
  const entries = await gateway.entries();
  const sent = upstream.requests[count]?.body.toString();
  return { status, text, sent, reserved: entries.at(-1)?.reserved_usd };
}

const url = '"https://x.test/1"';
const image = `{"type":"image_url","image_url":{"url":${url}}}`;
const content = `[${image},${image},${image},${image}]`;
const images = `[{"role":"user","content":${content}}]`;
const text = '[{"role":"user","content":"Hi"}]';
const inMessage = (members: string) => `"messages":[{"role":"user",${members}}]`;
const inPart = (members: string) => inMessage(`"content":[{${members}}]`);

/**
 * Members of a body, and the reservation. A byte costs $4.25 a million, an image as much as 36,000 bytes, a token of
 * output $17; in the standard tier $2.50 and $10.
 */
const cases: [string, members: string, usd: string][] = [
  ['four images, which every server reads', `"messages":${images}`, '0.6148475'],
  ['messages twice', `"messages":${images},"messages":${text}`, '0.6153065'],
  ['messages in upper case', `"MESSAGES":${images},"messages":${text}`, '0.6190465'],
  [
    'messages with letters that only Unicode equates',
    `"me\u017f\u017fages":${images},"messages":${text}`,
    '0.619055',
  ],
  ['messages with an escape', `"mess\\u0061ges":${images},"messages":${text}`, '0.61532775'],
  ['content twice', inMessage(`"content":${content},"content":"Hi"`), '0.61518325'],
  ['content in another case', inMessage(`"Content":${content},"content":"Hi"`), '0.61518325'],
  ['a type in upper case', inPart(`"type":"IMAGE_URL","image_url":{"url":${url}}`), '0.1553545'],
  [
    'a type twice',
    inPart(`"type":"image_url","type":"text","text":"","image_url":{"url":${url}}`),
    '0.1554565',
  ],
  [
    'a type in another case',
    inPart(`"Type":"image_url","type":"text","text":"","image_url":{"url":${url}}`),
    '0.1554565',
  ],
  ['an image in another case', inPart(`"type":"image_url","Image_Url":{"url":${url}}`), '0.1553545'],
  [
    'an image twice',
    inPart(`"type":"image_url","image_url":{"url":${url}},"image_url":{"url":${url}}`),
    '0.15552025',
  ],
  ['a URL twice', inPart(`"type":"image_url","image_url":{"url":${url},"url":${url}}`), '0.15546075'],
  ['a URL in another case', inPart(`"type":"image_url","image_url":{"URL":${url}}`), '0.1553545'],
  ['a tier, which every server reads', `"messages":${text},"service_tier":"default"`, '0.001305'],
  ['a tier in upper case', `"messages":${text},"service_tier":"PRIORITY"`, '0.00222275'],
  ['two tiers', `"messages":${text},"service_tier":"priority","service_tier":"default"`, '0.002329'],
  [
    'two tiers in different cases',
    `"messages":${text},"Service_Tier":"priority","service_tier":"default"`,
    '0.002329',
  ],
  ['a tier that some servers do not know', `"messages":${text},"Service_Tier":"default"`, '0.0022185'],
  [
    'two tiers of which the dearer has the standard price',
    `"messages":${text},"service_tier":"default","service_tier":"flex"`,
    '0.00136',
  ],
  ['numbers as text', `"messages":${text},"n":"3","max_tokens":"5000"`, '0.25553125'],
  ['numbers twice', `"messages":${text},"N":3,"n":1,"max_tokens":200,"max_tokens":5`, '0.01079925'],
];

describe('A body that servers read differently', () => {
  it.each(cases)('is forwarded, and reserves its highest cost: %s', async (_case, members, usd) => {
    const body = `{"model":"openai/gpt-4o",${members},"max_completion_tokens":100}`;
    const forwarded = { status: 200, sent: body.replace('openai/', '') };

    expect(await post(body, withBudget)).toMatchObject({ ...forwarded, reserved: usd });
    expect(await post(body, withoutBudget)).toMatchObject({ ...forwarded, reserved: null });
  });

  it('has only one model', async () => {
    const body = `{"model":"openai/o1-pro","Model":"openai/o1-pro","messages":${text},"model":"openai/gpt-4o"}`;
    const sent = `{"model":"gpt-4o","Model":"gpt-4o","messages":${text},"model":"gpt-4o"}`;
    // 117 bytes × $4.25 and 4,096 tokens × $17 a million.
    expect(await post(body, withBudget)).toMatchObject({ status: 200, sent, reserved: '0.07012925' });
  });

  it('may contain the same names in texts, schemas and metadata', async () => {
    const free =
      '{"Type":"IMAGE_URL","type":"image_url","image_url":[],"service_tier":"priority","type":"audio"}';
    const members = `"tools":[${free}],"metadata":${free},"metadata":${free},"response_format":${free}`;
    const body = `{"model":"openai/gpt-4o",${members},"messages":${text},"service_tier":"default","n":1,"max_tokens":1}`;
    // 549 bytes × $2.50 and one token × $10 a million.
    expect(await post(body, withBudget)).toMatchObject({ status: 200, reserved: '0.0013825' });
  });

  it('is refused with more than 16 service tiers, only if there is a hard budget', async () => {
    const tiers = Array.from({ length: 17 }, (_, index) => `"service_tier":"tier-${index}"`);
    const body = (count: number) =>
      `{"model":"openai/gpt-4o","messages":${text},${tiers.slice(0, count).join()}}`;

    expect(await post(body(16), withBudget)).toMatchObject({ status: 200 });
    expect(await post(body(17), withoutBudget)).toMatchObject({
      status: 200,
      sent: body(17).replace('openai/', ''),
    });
    const { text: error, ...refused } = await post(body(17), withBudget);
    expect([refused, JSON.parse(error)]).toEqual([
      { status: 400, sent: undefined, reserved: null },
      {
        error: {
          message:
            'service_tier is given with 17 different values: give it once, since the API key has a hard budget',
          type: 'invalid_request_error',
          param: 'service_tier',
          code: 'invalid_request_error',
        },
      },
    ]);
  });
});
