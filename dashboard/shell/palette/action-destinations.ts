/** Things that people come to do, beside the views. */
import { dateFormat } from '#dashboard/components/values/locale.ts';
import type { OrganizationSummary } from '#lambdas/accounts/organizations/responses.ts';
import { isAllowed, type Permission } from '#lambdas/accounts/permissions.ts';
import type { Destination } from './destination.ts';

interface Action extends Omit<Destination, 'kind'> {
  permission: Permission;
}

export function actionDestinations({ id, role }: OrganizationSummary, now: Date): Destination[] {
  const params = { organizationId: id };
  const actions: Action[] = [
    {
      id: 'action/invite',
      title: 'Invite a member',
      keywords: 'add user colleague person people somebody someone team invitation viewer',
      permission: 'manage_members',
      link: { to: '/organizations/$organizationId/members', params, search: { invite: '1' } },
    },
    {
      id: 'action/keys',
      title: 'Create, rotate or revoke an API key',
      keywords: 'new make delete remove replace disable leaked expire token secret',
      permission: 'create_keys',
      link: { to: '/organizations/$organizationId/keys', params },
    },
    {
      id: 'action/budget',
      title: 'Set a budget',
      keywords: 'create change new limit cap hard maximum spending spend',
      permission: 'manage_budgets',
      link: { to: '/organizations/$organizationId/budgets', params },
    },
    {
      id: 'action/rate-limit',
      title: 'Set a rate limit',
      keywords:
        'create change new limits requests tokens per minute rpm tpm concurrent concurrency throttle throttling',
      permission: 'manage_budgets',
      link: { to: '/organizations/$organizationId/budgets', params, search: { set: 'rate-limits' } },
    },
    {
      id: 'action/route',
      title: 'Set a route',
      keywords: 'create new change fallback failover alias targets models weight cheapest canary test',
      permission: 'manage_routing',
      link: { to: '/organizations/$organizationId/routes', params, search: { set: '1' } },
    },
    ...statementActions(params, now),
    {
      id: 'action/export',
      title: 'Export requests as CSV',
      keywords: 'download logs file spreadsheet',
      permission: 'view',
      link: { to: '/organizations/$organizationId/logs', params },
    },
    {
      id: 'action/compare',
      title: 'Compare with the time before',
      keywords: 'comparison change changed changes difference previous last week month two ranges usage why',
      permission: 'view',
      link: { to: '/organizations/$organizationId/usage', params, search: { compare: 'previous' } },
    },
    {
      id: 'action/slowest',
      title: 'Slowest requests',
      keywords: 'latency slow time logs',
      permission: 'view',
      link: { to: '/organizations/$organizationId/logs', params, search: { sort: 'latency_ms' } },
    },
    {
      id: 'action/dearest',
      title: 'Most expensive requests',
      keywords: 'cost dearest dear highest logs',
      permission: 'view',
      link: { to: '/organizations/$organizationId/logs', params, search: { sort: 'cost_usd' } },
    },
  ];
  return actions
    .filter(({ permission }) => isAllowed(role, permission))
    .map(({ permission: _, ...action }) => ({ ...action, kind: 'Action' }));
}

const monthFormat = dateFormat({ month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The statements that are wanted most often: of the last month, and of the present one so far. */
function statementActions(params: { organizationId: string }, now: Date): Action[] {
  const monthOf = (distance: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - distance)).toISOString().slice(0, 7);
  return [
    { id: 'action/statement-last', title: 'Statement of last month', month: monthOf(1) },
    { id: 'action/statement', title: 'Statement of this month', month: monthOf(0) },
  ].map(({ month, ...action }) => ({
    ...action,
    detail: monthFormat.format(new Date(month)),
    keywords: 'invoice bill billing export csv focus print pdf download finance accounting',
    permission: 'view',
    link: { to: '/organizations/$organizationId/billing/statements/$month', params: { ...params, month } },
  }));
}

/** Actions that concern the page and the person at it. */
export const personalActions: readonly Destination[] = [
  {
    id: 'action/time-zone',
    kind: 'Action',
    title: 'Change the time zone',
    keywords: 'timezone clock hours utc profile',
    link: { to: '/account' },
  },
  {
    id: 'action/light',
    kind: 'Action',
    title: 'Light theme',
    keywords: 'appearance colour color mode bright',
    link: null,
    command: 'light',
  },
  {
    id: 'action/dark',
    kind: 'Action',
    title: 'Dark theme',
    keywords: 'appearance colour color mode night',
    link: null,
    command: 'dark',
  },
  {
    id: 'action/system',
    kind: 'Action',
    title: 'Theme of the system',
    keywords: 'appearance colour color mode light dark automatic',
    link: null,
    command: 'system',
  },
  {
    id: 'action/sign-out',
    kind: 'Action',
    title: 'Sign out',
    keywords: 'log logout leave end session',
    link: null,
    command: 'sign_out',
  },
];
