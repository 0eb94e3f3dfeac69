/** Tells the owners of an organization by e-mail that one of its budgets has reached a threshold. */

import * as z from 'zod/mini';
import { type DirectoryReader, exists } from '#lambdas/access/directory.ts';
import { budgetPeriods, budgetThresholds } from '#lambdas/limits/budgets/budget.ts';
import type { BudgetEvent } from '#lambdas/limits/budgets/events.ts';
import { errorFields, type Log } from '#lambdas/platform/telemetry/log.ts';
import type { AccountsTable } from '../accounts-table.ts';
import type { SendMail } from '../mail.ts';
import { findProfiles, type Profile } from '../members/profiles.ts';
import { listMembershipsOfOrganization } from '../members/store.ts';
import { isMailSent, recordSentMail } from './sent-mail.ts';
import { type BudgetNotice, budgetMail } from './text.ts';

interface BudgetMailDependencies {
  /** Without a trailing slash. */
  dashboardOrigin: string;
  accounts: AccountsTable;
  directory: Pick<DirectoryReader, 'findOrganization' | 'findApiKey'>;
  sendMail: SendMail;
  log: Log;
}

/**
 * `detail` is a `BudgetEvent`. Rejects when an e-mail was not sent: Lambda then invokes the function again, which leaves out
 * the owners who have already got theirs.
 */
type BudgetMailHandler = (event: { detail: unknown }) => Promise<void>;

export function createBudgetMailHandler(dependencies: BudgetMailDependencies): BudgetMailHandler {
  const { log } = dependencies;
  return async ({ detail }) => {
    const event = parseBudgetEvent(detail);
    const notice = await findNotice(dependencies, event);
    if (notice === null) return;
    const owners = await findOwners(dependencies, event.organization_id);
    let failures = 0;
    for (const owner of owners) {
      try {
        await sendOnce(dependencies, notice, owner);
      } catch (error) {
        failures += 1;
        log.error('budget_mail_failed', { budget_event_id: event.id, ...errorFields(error) });
      }
    }
    // Without the errors themselves: SES quotes addresses, and Lambda logs what a function rejects with.
    if (failures > 0) throw new Error(`${failures} of ${owners.length} e-mails about a budget were not sent`);
  };
}

/** Resolves to `null` for a deleted organization. */
async function findNotice(
  { directory, dashboardOrigin }: BudgetMailDependencies,
  event: BudgetEvent,
): Promise<BudgetNotice | null> {
  const { organization_id: organizationId, api_key_id: keyId } = event;
  const [organization, apiKey] = await Promise.all([
    directory.findOrganization(organizationId),
    keyId === null ? null : directory.findApiKey(organizationId, keyId),
  ]);
  if (!exists(organization)) return null;
  return {
    event,
    organizationName: organization.name,
    keyName: keyId && (apiKey?.name ?? keyId),
    url: `${dashboardOrigin}/organizations/${organizationId}/budgets`,
  };
}

async function findOwners({ accounts }: BudgetMailDependencies, organizationId: string): Promise<Profile[]> {
  const memberships = await listMembershipsOfOrganization(accounts, organizationId);
  const owners = memberships.filter(({ role }) => role === 'owner').map(({ userId }) => userId);
  return [...(await findProfiles(accounts, owners)).values()];
}

async function sendOnce(
  { accounts, sendMail }: BudgetMailDependencies,
  notice: BudgetNotice,
  owner: Profile,
): Promise<void> {
  if (await isMailSent(accounts, notice.event, owner.id)) return;
  await sendMail({ to: owner.email, ...budgetMail(notice) });
  await recordSentMail(accounts, notice.event, owner.id);
}

const schema = z.object({
  id: z.string(),
  organization_id: z.string(),
  api_key_id: z.nullable(z.string()),
  period: z.enum(budgetPeriods),
  period_start: z.iso.datetime(),
  period_end: z.iso.datetime(),
  threshold: z.literal(budgetThresholds),
  amount_usd: z.string().check(z.regex(/^\d+(\.\d{1,12})?$/)),
  spent_usd: z.string().check(z.regex(/^-?\d+(\.\d{1,12})?$/)),
});

/** Throws for anything but the detail of a `BudgetEvent`. */
function parseBudgetEvent(detail: unknown): BudgetEvent {
  return schema.parse(detail);
}
