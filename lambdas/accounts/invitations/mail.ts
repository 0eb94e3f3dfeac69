import { type Mail, quoteName } from '../mail/mail.ts';
import type { Profile } from '../members/profiles.ts';
import type { Invitation } from './invitation.ts';

export interface InvitationMail {
  invitation: Invitation;
  url: string;
  organizationName: string;
  invitedBy: Pick<Profile, 'name' | 'email'>;
}

export function invitationMail({ invitation, url, organizationName, invitedBy }: InvitationMail): Mail {
  const { email, role, validUntil } = invitation;
  const organization = quoteName(organizationName);
  const inviter =
    invitedBy.name === null ? invitedBy.email : `${quoteName(invitedBy.name)} (${invitedBy.email})`;
  return {
    to: email,
    subject: `Invitation to the organization ${organization}`,
    text: `Hello,

${inviter} invites you to join the organization ${organization} of an AI gateway, as ${role}.

To accept, open this link and sign in with ${email}:

${url}

The link works once, until ${validUntil.slice(0, 10)}. If you did not expect this invitation, you can ignore it.
`,
  };
}
