/** The places to which the search of the page leads. */
import { requestIdsIn, searchedIds } from '#dashboard/filters/request-ids.ts';
import type { OrganizationSummary } from '#lambdas/accounts/organizations/responses.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import { type OrganizationViewPath, organizationViews } from '../views.ts';
import { actionDestinations, personalActions } from './action-destinations.ts';
import type { Destination } from './destination.ts';

/** Opens the sheet of shortcuts. */
const shortcutsDestination: Destination = {
  id: 'shortcuts',
  kind: 'Help',
  title: 'Keyboard shortcuts',
  keywords: 'help keys hotkeys',
  link: null,
  command: 'shortcuts',
};

/** Other words for the views. */
const viewKeywords: Record<OrganizationViewPath, string> = {
  '/organizations/$organizationId/overview': 'start home dashboard summary',
  '/organizations/$organizationId/usage':
    'cost costs spend spending report reports chart users tokens latency',
  '/organizations/$organizationId/logs': 'requests log entries errors search history',
  '/organizations/$organizationId/prompts': 'templates',
  '/organizations/$organizationId/sessions': 'conversations chats threads',
  '/organizations/$organizationId/models': 'price prices cost costs rates providers catalogue pricing',
  '/organizations/$organizationId/keys': 'token tokens secret credentials',
  '/organizations/$organizationId/budgets':
    'rate limit limits cap spending hard quota refused too little left reached throttle throttling',
  '/organizations/$organizationId/routes':
    'fallback failover target targets alias weight weights cheapest canary outage skipped attempts',
  '/organizations/$organizationId/billing':
    'statement statements invoice invoices bill export csv finance month forecast',
  '/organizations/$organizationId/members': 'users people team colleagues roles invitations access',
  '/organizations/$organizationId/audit-trail': 'history changes who log security',
  '/organizations/$organizationId/settings': 'name rename delete base url',
};

/** The views that the user may open, those of the account, and what can be done there. */
export function viewDestinations(organization: OrganizationSummary | null, now: Date): Destination[] {
  return [
    ...(organization === null ? [] : organizationViewDestinations(organization)),
    {
      id: '/account',
      kind: 'Your account',
      title: 'Profile',
      keywords: 'name email address settings account',
      link: { to: '/account' },
    },
    {
      id: '/account/security',
      kind: 'Your account',
      title: 'Security',
      keywords: 'password passkey authenticator second factor mfa totp',
      link: { to: '/account/security' },
    },
    {
      id: '/account/sessions',
      kind: 'Your account',
      title: 'Sign-ins',
      keywords: 'browsers devices sessions',
      link: { to: '/account/sessions' },
    },
    ...(organization === null ? [] : actionDestinations(organization, now)),
    ...personalActions,
    shortcutsDestination,
  ];
}

function organizationViewDestinations({ id: organizationId, role }: OrganizationSummary): Destination[] {
  return organizationViews
    .filter(({ permission }) => isAllowed(role, permission))
    .map(({ to, title }) => ({
      id: to,
      kind: 'View',
      title,
      keywords: viewKeywords[to],
      link: { to, params: { organizationId } },
    }));
}

/** Another organization of the user. */
export function organizationDestination({ id, name }: OrganizationSummary): Destination {
  return {
    id: `organization/${id}`,
    kind: 'Organization',
    title: name,
    link: { to: '/organizations/$organizationId/overview', params: { organizationId: id } },
  };
}

export function keyDestination(organizationId: string, key: { id: string; name: string; last_four: string }) {
  return {
    id: key.id,
    kind: 'Key',
    title: key.name,
    detail: `…${key.last_four}`,
    link: { to: '/organizations/$organizationId/keys/$keyId', params: { organizationId, keyId: key.id } },
  } satisfies Destination;
}

export function modelDestination(organizationId: string, model: string): Destination {
  return {
    id: `model/${model}`,
    kind: 'Model',
    title: model,
    link: {
      to: '/organizations/$organizationId/models',
      params: { organizationId },
      search: { search: model, model },
    },
  };
}

/** The names that callers give their requests, by which reports are grouped. */
export const callerGroups = ['user_id', 'prompt_id', 'session_id'] as const;

type CallerGroup = (typeof callerGroups)[number];

const callerViews = {
  user_id: { kind: 'User', to: '/organizations/$organizationId/usage' },
  prompt_id: { kind: 'Prompt', to: '/organizations/$organizationId/prompts' },
  session_id: { kind: 'Session', to: '/organizations/$organizationId/sessions' },
} as const satisfies Record<CallerGroup, { kind: string; to: string }>;

/** Leads to the page of a prompt or session, and to the usage of a user. */
export function callerDestination(organizationId: string, group: CallerGroup, value: string): Destination {
  const { kind, to } = callerViews[group];
  const link = { to, params: { organizationId }, search: { [group]: value } };
  return { id: `${group}/${value}`, kind, title: value, link };
}

const idKinds = {
  response_id: 'Response ID',
  provider_request_id: 'Provider’s request ID',
} as const;

/** Requests by the ids in a text, which may be a line of a log. */
export function requestDestinations(organizationId: string, text: string): Destination[] {
  const params = { organizationId };
  const ids = requestIdsIn(text);
  const { logId } = ids;
  const found: Destination[] = [];
  if (logId !== null) {
    const link = { to: '/organizations/$organizationId/logs/$logId', params: { ...params, logId } } as const;
    found.push({ id: logId, kind: 'Request', title: findTitle(logId), link });
  }
  for (const [field, value] of Object.entries(searchedIds(ids))) {
    const kind = idKinds[field as keyof typeof idKinds];
    const link = { to: '/organizations/$organizationId/logs', params, search: { [field]: value } } as const;
    found.push({ id: `${field}/${value}`, kind, title: findTitle(value), link });
  }
  return found;
}

function findTitle(id: string): string {
  return `Find the request with the ID ${id}`;
}
