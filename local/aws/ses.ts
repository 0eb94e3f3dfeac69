/**
 * Emulates `SendEmail` of Amazon SES (https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html) for plain
 * text. Nothing is sent: the mail goes to the local mailbox.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Mailbox } from '../cognito/mailbox.ts';
import { localAccountId } from '../identities.ts';
import type { LocalStack } from '../template/local-stack.ts';
import { resourcesOfType } from '../template/template.ts';
import { asObject } from '../untyped-json.ts';
import { type AwsCall, sendAwsError, sendAwsJson, sendUnknownOperation } from './call.ts';

export interface MailService {
  handle(call: AwsCall): Promise<void>;
}

const content = z.strictObject({ Data: z.string(), Charset: z.literal('UTF-8').optional() });

/** Strict, so that nothing is ignored that a function relies on. */
const sendEmailSchema = z.strictObject({
  FromEmailAddress: z.string(),
  Destination: z.strictObject({ ToAddresses: z.array(z.string()).min(1) }),
  Content: z.strictObject({
    Simple: z.strictObject({ Subject: content, Body: z.strictObject({ Text: content }) }),
  }),
});

/** SES has a REST interface, whose paths begin with the version. */
export function isSesRequest({ url }: IncomingMessage): boolean {
  return url?.startsWith('/v2/email/') === true;
}

export function createMailService(options: {
  region: string;
  verifiedIdentities: readonly string[];
  mailbox: Pick<Mailbox, 'send'>;
}): MailService {
  const { region, verifiedIdentities, mailbox } = options;
  return {
    async handle({ request, response, body, authorize }) {
      if (request.method !== 'POST' || request.url !== '/v2/email/outbound-emails') {
        return sendUnknownOperation(response, `ses:${request.method} ${request.url}`);
      }
      const reject = (type: string, message: string) =>
        sendAwsError(response, { status: 400, type, message });
      const { data: mail } = sendEmailSchema.safeParse(body);
      if (mail === undefined) {
        return reject(
          'BadRequestException',
          'The local run supports only FromEmailAddress, Destination.ToAddresses and Content.Simple with a text',
        );
      }
      const from = mail.FromEmailAddress;
      const domain = from.slice(from.lastIndexOf('@') + 1).toLowerCase();
      const resource = `arn:aws:ses:${region}:${localAccountId}:identity/${domain}`;
      if (!authorize([{ action: 'ses:SendEmail', resource }])) return;
      if (!verifiedIdentities.includes(resource)) {
        return reject(
          'MessageRejected',
          `Email address is not verified. The following identities failed the check in region ${region.toUpperCase()}: ${from}`,
        );
      }
      const { Subject, Body } = mail.Content.Simple;
      for (const to of mail.Destination.ToAddresses) {
        mailbox.send({ to, subject: Subject.Data, text: Body.Text.Data });
      }
      sendAwsJson(response, { MessageId: randomUUID() });
    },
  };
}

/** Returns the ARNs of the identities from which the user pool sends: an operator must have verified them. */
export function readVerifiedIdentities({
  template,
  resolve,
}: Pick<LocalStack, 'template' | 'resolve'>): string[] {
  return resourcesOfType(template, 'AWS::Cognito::UserPool').flatMap(({ logicalId, properties }) => {
    const where = `${logicalId}.EmailConfiguration`;
    const { SourceArn } = asObject(resolve(properties.EmailConfiguration ?? {}), where);
    return typeof SourceArn === 'string' ? [SourceArn] : [];
  });
}
