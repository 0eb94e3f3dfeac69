/** Sends e-mails through Amazon SES. */
import { SESv2Client, type SESv2ClientConfig, SendEmailCommand } from '@aws-sdk/client-sesv2';
import type { SendMail } from './mail.ts';

/** By default the SDK waits forever. With these limits, a call gets its response within API Gateway's 29 seconds. */
const clientConfig = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 5000, throwOnRequestTimeout: true },
} as const satisfies SESv2ClientConfig;

/** `from` is an address whose domain is verified in SES. Tests set another endpoint. */
export function createSesMail(from: string, options: SESv2ClientConfig = {}): SendMail {
  const client = new SESv2Client({ ...clientConfig, ...options });
  return async ({ to, subject, text }) => {
    await client.send(
      new SendEmailCommand({
        FromEmailAddress: from,
        Destination: { ToAddresses: [to] },
        Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text) } } },
      }),
    );
  };
}

function utf8(Data: string) {
  return { Data, Charset: 'UTF-8' };
}
