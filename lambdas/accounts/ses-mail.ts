/** Sends e-mails through Amazon SES. */
import { SESv2Client, type SESv2ClientConfig, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { smtpAddress } from './email-address.ts';
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
    const address = smtpAddress(to);
    if (address === null) throw new UnsupportedAddressError();
    await client.send(
      new SendEmailCommand({
        FromEmailAddress: from,
        Destination: { ToAddresses: [address] },
        Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text) } } },
      }),
    );
  };
}

class UnsupportedAddressError extends Error {
  override readonly name = 'UnsupportedAddressError';

  constructor() {
    super('Amazon SES sends nothing to addresses whose part before the @ has other characters than ASCII');
  }
}

function utf8(Data: string) {
  return { Data, Charset: 'UTF-8' };
}
