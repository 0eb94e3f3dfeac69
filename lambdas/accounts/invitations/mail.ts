/** The e-mail with the link of an invitation, which is valid without it. */
import type { AccountsTable } from '../accounts-table.ts';
import { countMail } from '../daily-mails.ts';
import { type Mail, quoteName, type SendMail } from '../mail.ts';
import type { Profile } from '../members/profiles.ts';
import { type Invitation, operatorName } from './invitation.ts';

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
    if (!(await countMail(accounts, mail.invitation.email, now))) return { state: 'daily_limit' };
    await sendMail(composeMail(mail));
    return { state: 'sent' };
  } catch (error) {
    return { state: 'failed', error };
  }
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
