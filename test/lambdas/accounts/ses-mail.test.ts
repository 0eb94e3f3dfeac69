import { afterAll, beforeAll, expect, it } from 'vitest';
import { quoteName } from '#lambdas/accounts/mail.ts';
import { createSesMail } from '#lambdas/accounts/ses-mail.ts';
import { type FakeSes, startFakeSes } from '#test/support/accounts/fake-ses.ts';

let ses: FakeSes;

beforeAll(async () => {
  ses = await startFakeSes();
});
afterAll(() => ses.stop());

it('sends plain text from the address of the settings', async () => {
  const sendMail = createSesMail('gateway@acme.example', ses.clientConfig);
  await sendMail({ to: 'ada@example.com', subject: 'Grüße', text: 'Hello,\n\nAda' });
  expect(ses.requests).toEqual([
    {
      FromEmailAddress: 'gateway@acme.example',
      Destination: { ToAddresses: ['ada@example.com'] },
      Content: {
        Simple: {
          Subject: { Data: 'Grüße', Charset: 'UTF-8' },
          Body: { Text: { Data: 'Hello,\n\nAda', Charset: 'UTF-8' } },
        },
      },
    },
  ]);
});

it('sends to the ASCII form of a domain, and nothing to a local part that is not ASCII', async () => {
  const sendMail = createSesMail('gateway@acme.example', ses.clientConfig);
  ses.requests.length = 0;
  await sendMail({ to: 'Ada+1@Müller.example', subject: 'Hello', text: '' });
  expect(ses.requests).toMatchObject([{ Destination: { ToAddresses: ['Ada+1@xn--mller-kva.example'] } }]);
  await expect(sendMail({ to: 'bjørn@example.com', subject: 'Hello', text: '' })).rejects.toMatchObject({
    name: 'UnsupportedAddressError',
  });
  expect(ses.requests).toHaveLength(1);
});

it('rejects with the error of SES', async () => {
  ses.failure = { status: 400, name: 'MessageRejected' };
  const sendMail = createSesMail('gateway@acme.example', ses.clientConfig);
  await expect(sendMail({ to: 'ada@example.com', subject: 'Hello', text: '' })).rejects.toMatchObject({
    name: 'MessageRejected',
  });
});

it.each([
  ['Acme & Café', '"Acme & Café"'],
  ['Acme Inc.', '"Acme Inc."'],
  ['A\r\nBcc: eve@example.com\u2028x', '"A Bcc: eve@example. com x"'],
  ['https://evil.example/login', '"https: //evil. example/login"'],
  ['say "hi"', '"say hi"'],
  ['abc\u202edef\u200b', '"abcdef"'],
])('quotes the name %j without line breaks and links', (name, quoted) => {
  expect(quoteName(name)).toBe(quoted);
});
