/** The organizations of the user. */

import * as z from 'zod/mini';
import { exists, type Organization } from '#lambdas/access/directory.ts';
import { newOrganizationId } from '#lambdas/access/id.ts';
import { keyRevocationDelayMs } from '#lambdas/access/key-lookup.ts';
import { chunksOf } from '#lambdas/platform/concurrency.ts';
import { maxTransactionItems, sendTransaction } from '#lambdas/platform/dynamodb/transaction.ts';
import { GatewayError, invalidRequestError } from '#lambdas/platform/errors.ts';
import { nameField } from '../http/fields.ts';
import { readBody } from '../http/request.ts';
import { jsonResponse, noContent } from '../http/response.ts';
import { invitationDeletionItems } from '../invitations/store.ts';
import type { Membership } from '../members/membership.ts';
import { joinItems, listMembershipsOfUser, membershipDeletionItems } from '../members/store.ts';
import {
  noOrganizationError,
  requireOrganizationMembership,
} from '../organization-calls/require-membership.ts';
import type { Role } from '../permissions.ts';
import { isOrganizationCreator } from '../sign-up/rules.ts';
import {
  type OrganizationDependencies,
  type OrganizationHandler,
  type OrganizationSettings,
  organizationRoute,
  type Route,
  type UserHandler,
  userRoute,
} from './call.ts';
import { hasUsageRows } from './keys/usage-rows.ts';
import { idCreatedBy, once } from './once.ts';
import type { OrganizationDetails, OrganizationList, OrganizationSummary } from './responses.ts';

/** `GET /dashboard/api/organizations` */
const listOrganizations: UserHandler<OrganizationList> = async (
  { user },
  { accounts, directory, settings },
) => {
  const memberships = await listMembershipsOfUser(accounts, user.id);
  const found = await Promise.all(
    memberships.map(async ({ organizationId, role }) => {
      const organization = await directory.findOrganization(organizationId);
      return exists(organization) ? organizationSummary(organization, role) : null;
    }),
  );
  return jsonResponse({
    object: 'list',
    data: found.filter((organization) => organization !== null),
    can_create: isOrganizationCreator(user.email, settings),
  });
};

const nameBody = z.strictObject({ name: nameField });

/** `POST /dashboard/api/organizations`. The user becomes the first owner. */
const createOrganization: UserHandler<OrganizationDetails> = async (
  call,
  { accounts, directory, settings },
) => {
  const { user, audit } = call;
  const { name } = await readBody(call, nameBody);
  if (!isOrganizationCreator(user.email, settings)) {
    throw new GatewayError('forbidden', {
      message: 'This address may not create organizations: ask the administrator of this gateway to allow it',
    });
  }
  const createdAt = audit.now().toISOString();
  const organization = { id: newOrganizationId(), name, created_at: createdAt, log_shards: 1 };
  const owner: Membership = {
    organizationId: organization.id,
    userId: user.id,
    role: 'owner',
    joinedAt: createdAt,
  };
  await directory.createOrganization(organization, audit, joinItems(accounts, owner));
  return jsonResponse(organizationDetails(organization, owner.role, settings, false));
};

const createOrganizationOnce = once(createOrganization, {
  createdIdOf: (changes) => idCreatedBy('organization.created', changes),
  async repeat({ user }, dependencies, createdId) {
    const id = createdId ?? '';
    const { organization, membership } = await requireOrganizationMembership(dependencies, id, user.id);
    return jsonResponse(await readOrganizationDetails(organization, membership.role, dependencies));
  },
});

/** `GET /dashboard/api/organizations/{organization}` */
const showOrganization: OrganizationHandler<OrganizationDetails> = async (
  { organization, membership },
  dependencies,
) => jsonResponse(await readOrganizationDetails(organization, membership.role, dependencies));

/** `PATCH /dashboard/api/organizations/{organization}` */
const renameOrganization: OrganizationHandler<OrganizationDetails> = async (call, dependencies) => {
  const { organization, membership, audit } = call;
  const { name } = await readBody(call, nameBody);
  const renamed = await dependencies.directory.renameOrganization(organization.id, name, audit);
  if (renamed === null) throw noOrganizationError();
  return jsonResponse(await readOrganizationDetails(renamed, membership.role, dependencies));
};

const confirmationBody = z.strictObject({ name: z.string({ error: 'name must be text' }) });

/** `DELETE /dashboard/api/organizations/{organization}`. Its log entries and sums remain until they expire. */
const deleteOrganization: OrganizationHandler<null> = async (call, { accounts, directory }) => {
  const { organization, audit } = call;
  const { name } = await readBody(call, confirmationBody);
  if (name.trim() !== organization.name.trim()) {
    throw invalidRequestError('name', 'name must be the name of this organization, to confirm its deletion');
  }
  const { id } = organization;
  const readMemberships = async () => {
    const pending = await invitationDeletionItems(accounts, id, audit.now());
    const memberships = await membershipDeletionItems(accounts, id);
    return [...pending, ...memberships];
  };
  const deletion = { organizationId: id, confirmedName: organization.name, audit, readMemberships };
  const deleted = await directory.deleteOrganization(deletion);
  if (deleted === null) throw noOrganizationError();
  // They were created while the others were removed, and would still let their addresses sign up. Later ones are refused.
  const late = await invitationDeletionItems(accounts, id, audit.now());
  for (const batch of chunksOf(late, maxTransactionItems)) await sendTransaction(accounts.client, batch);
  return noContent();
};

export function organizationSummary({ id, name }: Organization, role: Role): OrganizationSummary {
  return { id, name, role };
}

async function readOrganizationDetails(
  organization: Organization,
  role: Role,
  { settings, costRollups, now }: OrganizationDependencies,
): Promise<OrganizationDetails> {
  const { id: organizationId, log_shards: logShards, key_shown = false } = organization;
  // Only until a user has created the first key: the rollups need not be read otherwise.
  const isSeen = key_shown || (await hasUsageRows(costRollups, { organizationId, logShards }, now()));
  return organizationDetails(organization, role, settings, isSeen);
}

function organizationDetails(
  organization: Organization,
  role: Role,
  { apiBaseUrl, entryRetentionDays }: OrganizationSettings,
  firstKeySeen: boolean,
): OrganizationDetails {
  return {
    ...organizationSummary(organization, role),
    created_at: organization.created_at,
    api_base_url: apiBaseUrl,
    entry_retention_days: entryRetentionDays,
    key_revocation_seconds: keyRevocationDelayMs / 1000,
    first_key_seen: firstKeySeen,
    models: organization.models ? [...organization.models] : null,
  };
}

export const organizationRoutes: readonly Route[] = [
  userRoute('GET', '/organizations', listOrganizations),
  userRoute('POST', '/organizations', createOrganizationOnce),
  organizationRoute('GET', '', 'view', showOrganization),
  organizationRoute('PATCH', '', 'manage_organization', renameOrganization),
  organizationRoute('DELETE', '', 'manage_organization', deleteOrganization),
];
