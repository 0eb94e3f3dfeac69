/** Sends e-mails through the local AWS endpoint, as functions do. */
import { SESv2Client, SendEmailCommand, type SendEmailCommandInput } from '@aws-sdk/client-sesv2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMailService, readVerifiedIdentities } from '#local/aws/ses.ts';
import { type HttpListener, openHttpListener } from '#local/listeners/http-listener.ts';
import { createStackFixture } from '../stack-fixture.ts';
import { createEndpointFixture } from './endpoint-fixture.ts';

const identityOf = (domain: string) => `arn:aws:ses:us-east-1:000000000000:identity/${domain}`;
const stack = createStackFixture({
  Pool: {
    Type: 'AWS::Cognito::UserPool',
    Properties: { EmailConfiguration: { SourceArn: { 'Fn::Join': ['', [identityOf('acme.example')]] } } },
  },
});
const sent: object[] = [];
let listener: HttpListener;

beforeAll(async () => {
  listener = await openHttpListener(0);
  const resources = ['acme.example', 'other.example'].map(identityOf);
  listener.serve(
    createEndpointFixture({
      callers: { sender: [{ actions: ['ses:SendEmail'], resources }] },
      ses: createMailService({
        region: 'us-east-1',
        verifiedIdentities: readVerifiedIdentities(stack),
        mailbox: { send: (mail) => sent.push(mail) },
      }),
    }),
  );
});
afterAll(() => listener.close());
beforeEach(() => {
  sent.length = 0;
});

const mail = {
  FromEmailAddress: 'gateway@acme.example',
  Destination: { ToAddresses: ['ada@example.com', 'eve@example.com'] },
  Content: {
    Simple: {
      Subject: { Data: 'Invitation', Charset: 'UTF-8' },
      Body: { Text: { Data: 'Open the link é', Charset: 'UTF-8' } },
    },
  },
} satisfies SendEmailCommandInput;

async function send(changes: Partial<SendEmailCommandInput> = {}) {
  const client = new SESv2Client({
    endpoint: listener.origin,
    region: 'us-east-1',
    credentials: { accessKeyId: 'sender', secretAccessKey: 'any' },
    maxAttempts: 1,
  });
  try {
    return await client.send(new SendEmailCommand({ ...mail, ...changes }));
  } finally {
    client.destroy();
  }
}

describe('E-mails', () => {
  it('go to the mailbox, one for each recipient', async () => {
    const { MessageId } = await send();

    expect(MessageId).toMatch(/^[\da-f-]{36}$/);
    expect(sent).toEqual([
      { to: 'ada@example.com', subject: 'Invitation', text: 'Open the link é' },
      { to: 'eve@example.com', subject: 'Invitation', text: 'Open the link é' },
    ]);
  });

  it('are rejected when the role does not grant the domain of the sender', async () => {
    await expect(send({ FromEmailAddress: 'gateway@third.example' })).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: `User: arn:aws:sts::000000000000:assumed-role/SenderRole/Sender is not authorized to perform: ses:SendEmail on resource: ${identityOf('third.example')} because no identity-based policy allows the ses:SendEmail action`,
    });
    expect(sent).toEqual([]);
  });

  it('are rejected when the domain of the sender is not verified', async () => {
    await expect(send({ FromEmailAddress: 'gateway@other.example' })).rejects.toMatchObject({
      name: 'MessageRejected',
      message:
        'Email address is not verified. The following identities failed the check in region US-EAST-1: gateway@other.example',
    });
    expect(sent).toEqual([]);
  });

  it.each<[string, Partial<SendEmailCommandInput>]>([
    ['no recipient', { Destination: {} }],
    ['hidden recipients', { Destination: { ...mail.Destination, BccAddresses: ['eve@example.com'] } }],
    ['another form', { Content: { Raw: { Data: Buffer.from('mail') } } }],
    [
      'HTML',
      { Content: { Simple: { ...mail.Content.Simple, Body: { Html: { Data: '<p>Open the link</p>' } } } } },
    ],
    ['a configuration set', { ConfigurationSetName: 'set' }],
  ])('are rejected with %s, which is not emulated', async (_, changes) => {
    await expect(send(changes)).rejects.toMatchObject({
      name: 'BadRequestException',
      message:
        'The local run supports only FromEmailAddress, Destination.ToAddresses and Content.Simple with a text',
    });
    expect(sent).toEqual([]);
  });
});

it('rejects other operations of SES', async () => {
  const response = await fetch(`${listener.origin}/v2/email/identities`, { method: 'POST', body: '{}' });

  expect(await response.json()).toMatchObject({
    message: 'The local run does not emulate ses:POST /v2/email/identities',
  });
});
