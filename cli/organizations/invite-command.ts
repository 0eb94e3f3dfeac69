import type { Command } from 'commander';
import { z } from 'zod';
import { emailField } from '#lambdas/accounts/http/fields.ts';
import { invitationLifetimeMs } from '#lambdas/accounts/invitations/invitation.ts';
import { inviteMember } from '#lambdas/accounts/invitations/invite.ts';
import { roles } from '#lambdas/accounts/permissions.ts';
import { organizationId, readOptions } from '../options.ts';
import { openSession } from '../session.ts';
import { requireActiveOrganization } from './organizations.ts';

const roleChoice = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(roles.toReversed());
const lifetimeDays = invitationLifetimeMs / 86_400_000;

const inviteOptions = z.object({
  organization: organizationId,
  email: z
    .string()
    .trim()
    .toLowerCase()
    .refine(
      (address) => emailField.safeParse(address).success,
      'must be an e-mail address, such as name@example.com',
    ),
  role: z.enum(roles, `must be ${roleChoice}`),
});

export function addInviteCommand(group: Command): void {
  group
    .command('invite')
    .description('invite somebody to an organization of the dashboard, and print the link to send')
    .requiredOption('--organization <id>', 'organization id')
    .requiredOption('--email <address>', 'the only address that can accept the invitation')
    .option('--role <role>', roleChoice, 'owner')
    .addHelpText('after', inviteHelp)
    .action(async (_options: object, command: Command) => {
      const { organization: id, email, role } = readOptions(command, inviteOptions);
      const { directory, directoryTable, dashboard, openAuditTrail, show } = await openSession(command);
      const { accounts, origin: dashboardOrigin } = dashboard();
      const { name } = await requireActiveOrganization(directory, id);
      const { invitation, url } = await inviteMember(
        { accounts, directoryTable, audit: await openAuditTrail(), dashboardOrigin },
        { organizationId: id, organizationName: name, email, role },
      );
      const { validUntil } = invitation;
      show({
        json: { organization_id: id, id: invitation.id, email, role, expires_at: validUntil, url },
        text: `${url}\n\nSend this link to ${email} now: it is not shown again. It can be used once, until ${validUntil}.`,
      });
    });
}

const inviteHelp = `
The link is valid for ${lifetimeDays} days, and can be used once. Its holder signs in under the address, or signs up, and becomes a member
of the organization. Another invitation for the same address replaces it.

Examples:
  npm run admin -- org invite --organization org_4fTgQ0wZ6uKc1vXb --email jane@example.com
  npm run admin -- org invite --organization org_4fTgQ0wZ6uKc1vXb --email joe@example.com --role viewer --stack AiGateway`;
