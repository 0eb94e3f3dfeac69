import { type Mail, quoteName } from '../mail/mail.ts';
import type { Profile } from '../members/profiles.ts';
import { type Invitation, operatorName } from './invitation.ts';

export interface InvitationMail {
  invitation: Invitation;
  url: string;
  organizationName: string;
  /** `null` for an operator. */
  invitedBy: Pick<Profile, 'name' | 'email'> | null;
}

export function invitationMail({ invitation, url, organizationName, invitedBy }: InvitationMail): Mail {
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
