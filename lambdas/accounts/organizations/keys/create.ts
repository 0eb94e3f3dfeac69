import * as z from 'zod/mini';
import { hashApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { newKeyModels } from '#lambdas/access/models/changes.ts';
import { nameField } from '#lambdas/accounts/http/fields.ts';
import { readBody } from '#lambdas/accounts/http/request.ts';
import { jsonResponse } from '#lambdas/accounts/http/response.ts';
import {
  noOrganizationError,
  requirePermission,
} from '#lambdas/accounts/organization-calls/require-membership.ts';
import type { AuditedChange } from '#lambdas/audit/audit-trail.ts';
import { creatorOf } from '#lambdas/audit/record.ts';
import { newKeyBudget } from '#lambdas/limits/budgets/budgets.ts';
import type { BudgetStatus } from '#lambdas/limits/budgets/status.ts';
import { readNewKeyRateLimits } from '#lambdas/limits/rates/changes.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { allTime, parseTimestamp } from '#lambdas/platform/time-window.ts';
import { budgetFields, budgetTables, newBudgetStatus } from '../budgets/summary.ts';
import type { OrganizationDependencies, OrganizationHandler } from '../call.ts';
import { alreadyCreatedError, idCreatedBy, once } from '../once.ts';
import { scopeOfKey } from '../owners.ts';
import type { NewApiKey } from '../responses.ts';
import { maxRoutingBodyBytes, modelListField, readModelList } from '../routing.ts';
import { createKeySummarizer } from './summary.ts';

/** In a request body; `readExpiry` reads it. */
export const expiryField = z.nullable(
  z.string({ error: 'expires_at must be an RFC 3339 timestamp, or null for a key that does not expire' }),
);

/** Returns the directory's format of timestamps. Throws a `GatewayError` (400) for a time that is not in the future. */
export function readExpiry(text: string | null, now: Date): string | null {
  if (text === null) return null;
  const expiresMs = parseTimestamp('expires_at', text);
  if (expiresMs > now.getTime() && expiresMs < allTime.endMs) return new Date(expiresMs).toISOString();
  throw invalidRequestError('expires_at', 'expires_at must be in the future, and before December 9999');
}

const budgetSchema = z.strictObject(budgetFields, {
  error: 'budget must be an object with amount_usd, period and hard, or null',
});
const newKey = z.strictObject({
  name: nameField,
  expires_at: expiryField,
  budget: z.nullable(budgetSchema),
  /** All models of the organization without it. */
  models: modelListField,
});

type RequestedBudget = z.output<typeof budgetSchema>;

/** `POST /dashboard/api/organizations/{organization}/keys`. The response alone has the full key. */
const createKey: OrganizationHandler<NewApiKey> = async (call, dependencies) => {
  const body = await readBody(call, newKey, maxRoutingBodyBytes);
  const { name, expires_at, budget: requestedBudget } = body;
  if (requestedBudget !== null) requirePermission(call, 'manage_budgets');
  const models = readModelList(body.models ?? null);
  if (models !== null) requirePermission(call, 'manage_routing');
  const { organization, audit } = call;
  const now = dependencies.now();
  const { key, apiKey } = issueApiKey({
    organizationId: organization.id,
    name,
    createdAt: now,
    createdBy: creatorOf(audit.actor),
    expiresAt: readExpiry(expires_at, now) ?? undefined,
  });
  const budget = requestedBudget && planBudget(dependencies, apiKey, requestedBudget, now);
  const creator = call.membership.role === 'member' ? 'member' : 'other';
  const rateLimits = await readNewKeyRateLimits(dependencies.directoryTable, apiKey, creator);
  const also = [
    ...[budget, rateLimits].flatMap((planned) => planned?.change ?? []),
    ...(models === null ? [] : [newKeyModels(apiKey, models)]),
  ];
  const isCreated = await dependencies.directory.createApiKey(apiKey, hashApiKey(key), audit, ...also);
  if (!isCreated) throw noOrganizationError();
  // Everything is known: reading it could fail, and the key would be lost.
  const { id, name: creatorName } = apiKey.created_by;
  const summarize = createKeySummarizer([apiKey], {
    call,
    now,
    usage: new Map(),
    apiKeys: [],
    summarizeCreator: () => ({ id, name: creatorName, active: true }),
    budgets: budget === null ? [] : [budget.status],
    rateLimits: rateLimits === null ? [] : [rateLimits],
    models: models === null ? new Map() : new Map([[apiKey.id, models]]),
  });
  return jsonResponse({ api_key: summarize(apiKey), key });
};

export const createKeyOnce = once(createKey, {
  createdIdOf: (changes) => idCreatedBy('api_key.created', changes),
  async repeat(_call, _dependencies, createdId) {
    throw alreadyCreatedError(
      createdId,
      'The API key was already created, and its value cannot be shown again: rotate it to get a new one, or revoke it',
    );
  },
});

/** The change that creates the budget with its key, and the budget's status afterwards. */
function planBudget(
  dependencies: OrganizationDependencies,
  apiKey: ApiKey,
  { period, amount_usd, hard }: RequestedBudget,
  now: Date,
): { change: AuditedChange; status: BudgetStatus } {
  const scope = scopeOfKey(apiKey);
  const budget = { amountUsd: amount_usd, hard, allowsUnpriced: false };
  return {
    change: newKeyBudget(budgetTables(dependencies), scope, period, budget, apiKey.name),
    status: newBudgetStatus(scope, period, budget, now),
  };
}
