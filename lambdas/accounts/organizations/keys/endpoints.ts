/** The routes of API keys, and the changes of a key. */

import * as z from 'zod/mini';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { maxOverlapMs, minOverlapMs, rotateApiKey } from '#lambdas/access/keys/rotate.ts';
import { nameField } from '#lambdas/accounts/http/fields.ts';
import { readBody } from '#lambdas/accounts/http/request.ts';
import { type DashboardResponse, jsonResponse } from '#lambdas/accounts/http/response.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { errorFields } from '#lambdas/platform/telemetry/log.ts';
import {
  type OrganizationCall,
  type OrganizationDependencies,
  type OrganizationHandler,
  organizationRoute,
  type Route,
} from '../call.ts';
import { alreadyCreatedError, once } from '../once.ts';
import type { ApiKeySummary, RotatedApiKey } from '../responses.ts';
import { createKeyOnce, expiryField, readExpiry } from './create.ts';
import { showKeyDetails } from './details.ts';
import { findManageableApiKey, noApiKeyError } from './find-key.ts';
import { listKeys } from './list.ts';
import { listKeyNames } from './names.ts';
import {
  createKeySummarizer,
  readSourcesOf,
  type SummarySources,
  stateOf,
  storedSources,
} from './summary.ts';

const change = z.strictObject({ name: z.optional(nameField), expires_at: z.optional(expiryField) }).check(
  z.refine(({ name, expires_at }) => (name === undefined) !== (expires_at === undefined), {
    error: 'The request body must have either name or expires_at',
  }),
);

/** `PATCH /dashboard/api/organizations/{organization}/keys/{key}` */
const changeKey: OrganizationHandler<ApiKeySummary> = async (call, dependencies) => {
  const { name, expires_at } = await readBody(call, change);
  const apiKey = await findManageableApiKey(call, dependencies);
  const sources = await readSourcesOf(call, dependencies, apiKey);
  const changed =
    expires_at === undefined
      ? await dependencies.directory.renameApiKey(
          call.organization.id,
          apiKey.id,
          name ?? apiKey.name,
          call.audit,
        )
      : await changeExpiry(call, dependencies, apiKey, expires_at);
  // Somebody may have revoked it in the meantime: it has not changed then.
  if (changed !== null && changed.revoked_at !== null) throw noChangeError('revoked');
  return showKey(changed, sources);
};

async function changeExpiry(
  { organization, audit }: OrganizationCall,
  { directory, now }: OrganizationDependencies,
  apiKey: ApiKey,
  text: string | null,
): Promise<ApiKey | null> {
  const at = now();
  const expiresAt = readExpiry(text, at);
  const state = stateOf(apiKey, at);
  if (state !== 'active') throw noChangeError(state);
  const changed = await directory.changeApiKeyExpiry(organization.id, apiKey.id, expiresAt, audit);
  if (changed?.revoked_at === null && changed.expires_at !== expiresAt) throw noChangeError('expired');
  return changed;
}

const [minSeconds, maxSeconds] = [minOverlapMs / 1000, maxOverlapMs / 1000];
const overlapRange = `overlap_seconds must be 0, or a whole number from ${minSeconds} to ${maxSeconds}`;
const rotation = z.strictObject({
  overlap_seconds: z.int({ error: overlapRange }).check(
    z.refine((seconds) => seconds === 0 || seconds >= minSeconds, { error: overlapRange }),
    z.maximum(maxSeconds, { error: overlapRange }),
  ),
});

/**
 * `POST /dashboard/api/organizations/{organization}/keys/{key}/rotation`. The response alone has the full new key; the old one
 * expires after the overlap, and is revoked at once without one.
 */
const rotateKey: OrganizationHandler<RotatedApiKey> = async (call, dependencies) => {
  const { overlap_seconds } = await readBody(call, rotation);
  const { organization, audit } = call;
  const { directory } = dependencies;
  const old = await findManageableApiKey(call, dependencies);
  const sources = await readSourcesOf(call, dependencies, old);
  const overlapMs = overlap_seconds * 1000;
  const rotated = await rotateApiKey({ directory }, { organization, old, overlapMs, audit });
  if (rotated === null) {
    const message = 'This API key is revoked or expired and cannot be replaced: create a new one';
    throw new GatewayError('conflict', { message });
  }
  const { key, apiKey, replaced } = rotated;
  const summarize = createKeySummarizer([replaced, apiKey], sources);
  return jsonResponse({ api_key: summarize(apiKey), key, replaced: summarize(replaced) });
};

const rotateKeyOnce = once(rotateKey, {
  createdIdOf(changes) {
    const rotated = changes.find(({ event }) => event.action === 'api_key.rotated');
    return rotated === undefined ? null : String(rotated.event.after?.replacement_id);
  },
  async repeat(_call, _dependencies, createdId) {
    throw alreadyCreatedError(
      createdId,
      'The API key was already rotated, and the value of the new key cannot be shown again: rotate the new key, or revoke it',
    );
  },
});

/** `POST /dashboard/api/organizations/{organization}/keys/{key}/revocation`. Revoking a key again changes nothing. */
const revokeKey: OrganizationHandler<ApiKeySummary> = async (call, dependencies) => {
  const apiKey = await findManageableApiKey(call, dependencies);
  // A key can be revoked whatever else fails.
  const sources = await readSourcesOf(call, dependencies, apiKey).catch((error: unknown) => {
    dependencies.log.error('key_summary_failed', errorFields(error));
    return storedSources(call, dependencies.now());
  });
  const revoked = await dependencies.directory.revokeApiKey(call.organization.id, apiKey.id, call.audit);
  return showKey(revoked, sources);
};

function showKey(apiKey: ApiKey | null, sources: SummarySources): DashboardResponse<ApiKeySummary> {
  if (apiKey === null) throw noApiKeyError();
  return jsonResponse(createKeySummarizer([apiKey], sources)(apiKey));
}

function noChangeError(state: 'revoked' | 'expired'): GatewayError {
  const message = `This API key is ${state} and cannot be changed any more: create a new one`;
  return new GatewayError('conflict', { message });
}

/** Changes of the keys that others have created also need `manage_all_keys`. */
export const keyRoutes: readonly Route[] = [
  organizationRoute('GET', '/keys', 'view', listKeys),
  organizationRoute('GET', '/key-names', 'view', listKeyNames),
  organizationRoute('POST', '/keys', 'create_keys', createKeyOnce),
  organizationRoute('GET', '/keys/{key}', 'view', showKeyDetails),
  organizationRoute('PATCH', '/keys/{key}', 'manage_own_keys', changeKey),
  organizationRoute('POST', '/keys/{key}/rotation', 'manage_own_keys', rotateKeyOnce),
  organizationRoute('POST', '/keys/{key}/revocation', 'manage_own_keys', revokeKey),
];
