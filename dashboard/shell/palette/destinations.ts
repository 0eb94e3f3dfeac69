/** The places to which the search of the page leads. */
import type { NavigateOptions } from '@tanstack/react-router';
import { requestIdsIn } from '#dashboard/filters/request-ids.ts';
import type { OrganizationSummary } from '#lambdas/accounts/organizations/responses.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import { organizationViews } from '../views.ts';

export interface Destination {
  /** Unique among those that are shown. */
  id: string;
  kind: string;
  title: string;
  detail?: string;
  /** Null for the sheet of shortcuts. */
  link: NavigateOptions | null;
}

/** Opens the sheet of shortcuts. */
const shortcutsDestination: Destination = {
  id: 'shortcuts',
  kind: 'Help',
  title: 'Keyboard shortcuts',
  link: null,
};

/** The views that the user may open, and those of the account. */
export function viewDestinations(organization: OrganizationSummary | null): Destination[] {
  return [
    ...(organization === null ? [] : organizationViewDestinations(organization)),
    { id: '/account', kind: 'Your account', title: 'Profile', link: { to: '/account' } },
    { id: '/account/security', kind: 'Your account', title: 'Security', link: { to: '/account/security' } },
    { id: '/account/sessions', kind: 'Your account', title: 'Sign-ins', link: { to: '/account/sessions' } },
    shortcutsDestination,
  ];
}

function organizationViewDestinations({ id: organizationId, role }: OrganizationSummary): Destination[] {
  return organizationViews
    .filter(({ permission }) => isAllowed(role, permission))
    .map(({ to, title }) => ({ id: to, kind: 'View', title, link: { to, params: { organizationId } } }));
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

/** Returns those whose titles have all words of the text. */
export function matching(destinations: readonly Destination[], text: string): Destination[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return destinations.filter(({ title }) => {
    const name = title.toLowerCase();
    return words.every((word) => name.includes(word));
  });
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

/** Requests by the ids in a text, which may be a line of a log. */
export function requestDestinations(organizationId: string, text: string): Destination[] {
  const params = { organizationId };
  const logs = '/organizations/$organizationId/logs';
  const { logId, responseId, providerRequestId } = requestIdsIn(text);
  const found: Destination[] = [];
  if (logId !== null) {
    const link = { to: '/organizations/$organizationId/logs/$logId', params: { ...params, logId } } as const;
    found.push({ id: logId, kind: 'Request', title: logId, link });
  }
  if (responseId !== null) {
    const link = { to: logs, params, search: { response_id: responseId } } as const;
    found.push({ id: `response/${responseId}`, kind: 'Response ID', title: responseId, link });
  }
  if (providerRequestId !== null) {
    const link = { to: logs, params, search: { provider_request_id: providerRequestId } } as const;
    found.push({
      id: `provider/${providerRequestId}`,
      kind: 'Provider’s request ID',
      title: providerRequestId,
      link,
    });
  }
  return found;
}
