/** Amazon SES in the region of the stack, if the setting `mailFrom` names a sender. */

import {
  GetAccountCommand,
  GetEmailIdentityCommand,
  type GetEmailIdentityCommandOutput,
  SESv2Client,
} from '@aws-sdk/client-sesv2';
import { nullIfMissing } from '#cli/connection/aws-errors.ts';
import { domainOf } from '#lambdas/accounts/email-address.ts';
import type { Settings } from '#lib/settings/settings.ts';
import type { Check } from './check.ts';

/** Only the dashboard sends e-mails. */
const sendsMail = ({ dashboard, mailFrom }: Settings) => dashboard && mailFrom !== null;

export const mailIdentity: Check = {
  name: 'mail identity',
  permissions: ['ses:GetEmailIdentity'],
  applies: sendsMail,
  async run({ settings, aws }) {
    const address = settings.mailFrom ?? '';
    const domain = domainOf(address);
    const client = new SESv2Client(aws.clientConfig);
    const [domainIdentity, addressIdentity] = await Promise.all([
      findIdentity(client, domain),
      findIdentity(client, address),
    ]);
    if (!domainIdentity?.VerifiedForSendingStatus) {
      const found = addressIdentity?.VerifiedForSendingStatus
        ? `only the address ${address} is`
        : 'it is not';
      return {
        status: 'fail',
        message: `mailFrom needs its domain ${domain} verified in Amazon SES in ${aws.region}, but ${found}`,
        action: `Create the identity ${domain} in SES, and its DNS records`,
      };
    }
    // With one, Cognito would also need a permission for the configuration set.
    if (domainIdentity.ConfigurationSetName) {
      return {
        status: 'warn',
        message: `The identity ${domain} has the default configuration set ${domainIdentity.ConfigurationSetName}, with which Cognito may be refused to send`,
        action: `Remove the default configuration set of the identity, and sign up once to check`,
      };
    }
    return { status: 'ok', message: `The domain ${domain} is verified in Amazon SES` };
  },
};

export const mailAccount: Check = {
  name: 'mail account',
  permissions: ['ses:GetAccount'],
  applies: sendsMail,
  async run({ aws }) {
    const client = new SESv2Client(aws.clientConfig);
    const { ProductionAccessEnabled, SendingEnabled } = await client.send(new GetAccountCommand());
    if (!SendingEnabled) {
      const message = `Amazon SES has disabled sending for the account in ${aws.region}`;
      return { status: 'fail', message, action: 'See the notices in the SES console' };
    }
    if (!ProductionAccessEnabled) {
      const message = `Amazon SES is in the sandbox in ${aws.region}: e-mails reach verified addresses only, and the user pool may not be created`;
      return { status: 'fail', message, action: 'Request production access in the SES console' };
    }
    return { status: 'ok', message: 'Amazon SES sends to all addresses' };
  },
};

async function findIdentity(
  client: SESv2Client,
  EmailIdentity: string,
): Promise<GetEmailIdentityCommandOutput | null> {
  return nullIfMissing(client.send(new GetEmailIdentityCommand({ EmailIdentity })), /^NotFoundException$/);
}
