/** Records of administrative changes: who changed what, when, and the values before and after. */

/** The author of a change: a user of the dashboard, or the AWS identity that runs the admin command. */
export interface Actor {
  type: 'user' | 'operator';
  /** The user's id, or the ARN of the AWS identity. */
  id: string;
  name: string | null;
  /** `null` for operators. */
  email: string | null;
}

export const auditActions = [
  'organization.created',
  'organization.renamed',
  'organization.scaled',
  'organization.deleted',
  'organization.models_set',
  'member.joined',
  'member.role_changed',
  'member.removed',
  'member.left',
  'member.keys_revoked',
  'invitation.created',
  'invitation.revoked',
  'api_key.created',
  'api_key.renamed',
  'api_key.expiry_changed',
  'api_key.rotated',
  'api_key.revoked',
  'api_key.models_set',
  'budget.set',
  'budget.removed',
  'rate_limits.set',
  'rate_limits.removed',
  'rate_limits.defaults_set',
  'route.set',
  'route.removed',
  'price.set',
  'price.removed',
  'price.imported',
  'provider_credential.set',
  'costs.repriced',
  'rollups.rebuilt',
  'rollups.replayed',
  'log_entries.recovered',
  'log_entries.exported',
] as const;

export type AuditAction = (typeof auditActions)[number];

const auditTargetTypes = [
  'organization',
  'member',
  'invitation',
  'api_key',
  'budget',
  'rate_limits',
  'route',
  'price',
  'provider',
  'costs',
  'rollups',
  'log_entries',
] as const;

export interface AuditTarget {
  type: (typeof auditTargetTypes)[number];
  id: string;
  name: string | null;
}

/** Never contains secrets: no keys, credentials, invitation links or hashes. */
export interface AuditValues {
  readonly [field: string]: AuditValue;
}

export type AuditValue = string | number | boolean | null | readonly AuditValue[] | AuditValues;

export interface AuditEvent {
  action: AuditAction;
  /** `null` for what concerns no single organization. */
  organizationId: string | null;
  target: AuditTarget;
  /** The changed fields; `null` for something new. */
  before: AuditValues | null;
  /** The changed fields; `null` for something removed. */
  after: AuditValues | null;
}

/**
 * A change in one transaction has one record, `completed`. An operation that cannot be one transaction has two records:
 * `started` before it begins, and `completed` or `failed` at its end. Without the second, it was interrupted.
 */
export type AuditStage = 'started' | 'completed' | 'failed';

export interface AuditRecord extends AuditEvent {
  /** A UUIDv7, so that records sort by time. */
  id: string;
  /** RFC 3339 in UTC with milliseconds. */
  at: string;
  actor: Actor;
  stage: AuditStage;
  /** Joins the records of one operation; the id of the first one. */
  operationId: string;
}

/** As stored with what a user or operator has created. */
export interface Creator {
  type: Actor['type'];
  id: string;
  /** The name or e-mail address at that time; the ARN for operators. */
  name: string;
}

export function creatorOf({ type, id, name, email }: Actor): Creator {
  return { type, id, name: name ?? email ?? id };
}
