/** The e-mail with the link of an invitation, which is valid without it. */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { daySeconds } from '#lambdas/platform/duration.ts';
import { nullIfConditionFails } from '#lambdas/platform/dynamodb/conflicts.ts';
import { comparesIfExists, updateExpressions } from '#lambdas/platform/dynamodb/expressions.ts';
import type { AccountsTable } from '../accounts-table.ts';
import { type Mail, quoteName, type SendMail } from '../mail.ts';
import type { Profile } from '../members/profiles.ts';
import { addressPartition } from '../schema.ts';
import { type Invitation, operatorName } from './invitation.ts';

/** To one address on a UTC day, from all organizations together: nobody's mailbox is filled by invitations. */
const maxDailyMails = 5;

/** Only logs and operators may learn why nothing was sent: the limit depends on invitations of other organizations. */
type MailDelivery =
  | { state: 'sent' }
  | { state: 'no_sender' }
  | { state: 'daily_limit' }
  | { state: 'failed'; error: unknown };

interface MailDependencies {
  accounts: AccountsTable;
  /** `null` without a sender. */
  sendMail: SendMail | null;
  now: Date;
}

/** Never rejects: the link of the invitation would be lost. */
export async function sendInvitationMail(
  { accounts, sendMail, now }: MailDependencies,
  mail: InvitationMail,
): Promise<MailDelivery> {
  if (sendMail === null) return { state: 'no_sender' };
  try {
    // First, so that a function that is killed in between sends too little, not too much.
    if (!(await countMail(accounts, mail.invitation.email, now))) return { state: 'daily_limit' };
    await sendMail(composeMail(mail));
    return { state: 'sent' };
  } catch (error) {
    return { state: 'failed', error };
  }
}

/** Resolves to `false` if the address has had all mails of the day. */
async function countMail(
  { client, tableName: TableName }: AccountsTable,
  email: string,
  now: Date,
): Promise<boolean> {
  const day = now.toISOString().slice(0, 10);
  const counted = client.send(
    new UpdateCommand({
      TableName,
      Key: { pk: addressPartition(email), sk: `mails#${day}` },
      ...updateExpressions(
        {
          add: { mails: 1 },
          set: { expires_at: Math.floor(Date.parse(day) / 1000) + 2 * daySeconds },
        },
        comparesIfExists('mails', '<', maxDailyMails),
      ),
    }),
  );
  return (await nullIfConditionFails(counted)) !== null;
}

export interface InvitationMail {
  invitation: Invitation;
  url: string;
  organizationName: string;
  /** `null` for an operator. */
  invitedBy: Pick<Profile, 'name' | 'email'> | null;
}

function composeMail({ invitation, url, organizationName, invitedBy }: InvitationMail): Mail {
  const { email, role, validUntil } = invitation;
  const organization = quoteName(organizationName);
  return {
    to: email,
    subject: `Invitation to the organization ${organization}`,
    text: `Hello,

${inviterName(invitedBy)} invites you to join the organization ${organization} of an AI gateway, as ${role}.

To accept, open this link and sign in with ${email}:

${url}

The link works once, until ${validUntil.slice(0, 10)}. If you did not expect this invitation, you can ignore it.
`,
  };
}

function inviterName(inviter: InvitationMail['invitedBy']): string {
  if (inviter === null) return operatorName;
  return inviter.name === null ? inviter.email : `${quoteName(inviter.name)} (${inviter.email})`;
}
