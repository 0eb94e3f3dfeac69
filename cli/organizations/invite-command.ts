import type { Command } from 'commander';
import { z } from 'zod';
import { emailField } from '#lambdas/accounts/http/fields.ts';
import { invitationLifetimeMs } from '#lambdas/accounts/invitations/invitation.ts';
import { inviteMember } from '#lambdas/accounts/invitations/invite.ts';
import { sendInvitationMail } from '#lambdas/accounts/invitations/mail.ts';
import { roles } from '#lambdas/accounts/permissions.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { openCommandContext } from '../command-context.ts';
import { organizationId, readOptions } from '../options.ts';
import { errorLine } from '../run-program.ts';
import { requireActiveOrganization } from './organizations.ts';

const roleChoice = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(roles.toReversed());
const lifetimeDays = invitationLifetimeMs / dayMs;

const inviteOptions = z.object({
  organization: organizationId,
  email: z
    .string()
    .trim()
    .refine(
      (address) => emailField.safeParse(address).success,
      'must be an e-mail address, such as name@example.com',
    ),
  role: z.enum(roles, `must be ${roleChoice}`),
});

export function addInviteCommand(group: Command): void {
  group
    .command('invite')
    .description('invite somebody to an organization of the dashboard, and print the link')
    .requiredOption('--organization <id>', 'organization id')
    .requiredOption('--email <address>', 'the only address that can accept the invitation')
    .option('--role <role>', roleChoice, 'owner')
    .addHelpText('after', inviteHelp)
    .action(async (_options: object, command: Command) => {
      const { organization: id, email, role } = readOptions(command, inviteOptions);
      const { directory, directoryTable, dashboard, openAuditTrail, show, note } =
        await openCommandContext(command);
      const { accounts, origin: dashboardOrigin, sendMail } = dashboard();
      const { name: organizationName } = await requireActiveOrganization(directory, id);
      const audit = await openAuditTrail();
      const { invitation, url } = await inviteMember(
        { accounts, directoryTable, audit, dashboardOrigin },
        { organizationId: id, organizationName, email, role },
      );
      const delivery = await sendInvitationMail(
        { accounts, sendMail, now: audit.now() },
        { invitation, url, organizationName, invitedBy: null },
      );
      const mailed = delivery.state === 'sent';
      const { validUntil } = invitation;
      // The page says the same, whatever the cause.
      const next = mailed
        ? `This link was sent to ${email}. It`
        : `Send this link to ${email} yourself: no e-mail was sent, and it is not shown again. It`;
      show({
        json: { organization_id: id, id: invitation.id, email, role, expires_at: validUntil, url, mailed },
        text: `${url}\n\n${next} can be used once, until ${validUntil}.`,
      });
      if (delivery.state === 'failed')
        note(`the e-mail to ${email} was not sent: ${errorLine(delivery.error)}`);
    });
}

const inviteHelp = `
The link is valid for ${lifetimeDays} days, and can be used once. Its holder signs in under the address, or signs up, and becomes
a member of the organization. Another invitation for the same address replaces it.

If the setting mailFrom is set, the link is also sent by e-mail, with your AWS credentials: at most five a UTC day to one
address, over all organizations. Without an e-mail, the invitation exists nevertheless, the exit code is 0, and you send the
link yourself. If Amazon SES refuses it, a note gives the reason.

Examples:
  npm run admin -- org invite --organization org_4fTgQ0wZ6uKc1vXb --email jane@example.com
  npm run admin -- org invite --organization org_4fTgQ0wZ6uKc1vXb --email joe@example.com --role viewer --stack AiGateway`;
