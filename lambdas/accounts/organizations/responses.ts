/**
 * The bodies of the responses of the function `Organizations`, whose types the page shares. Times are ISO 8601, amounts of US
 * dollars are decimal text.
 */
import type { AuditAction, AuditStage, AuditTarget, AuditValues } from '#lambdas/audit/record.ts';
import type { RouteStrategy, RouteTarget } from '#lambdas/routing/route.ts';
import type { Role } from '../permissions.ts';

/** By route, below `/dashboard/api`. `null` without a body. */
export interface OrganizationsResponses {
  'GET /organizations': OrganizationList;
  'POST /organizations': OrganizationDetails;
  'GET /organizations/{organization}': OrganizationDetails;
  'PATCH /organizations/{organization}': OrganizationDetails;
  'DELETE /organizations/{organization}': null;
  'GET /organizations/{organization}/members': MemberList;
  'PATCH /organizations/{organization}/members/{member}': Member;
  'DELETE /organizations/{organization}/members/{member}': null;
  'GET /organizations/{organization}/removals': MemberRemovalList;
  'GET /organizations/{organization}/invitations': InvitationList;
  'POST /organizations/{organization}/invitations': NewInvitation;
  'DELETE /organizations/{organization}/invitations/{invitation}': null;
  'POST /invitations/offer': InvitationOffer;
  'POST /invitations/acceptance': OrganizationSummary;
  'GET /organizations/{organization}/keys': ApiKeyList;
  'POST /organizations/{organization}/keys': NewApiKey;
  'GET /organizations/{organization}/keys/{key}': ApiKeyDetails;
  'PATCH /organizations/{organization}/keys/{key}': ApiKeySummary;
  'POST /organizations/{organization}/keys/{key}/rotation': RotatedApiKey;
  'POST /organizations/{organization}/keys/{key}/revocation': ApiKeySummary;
  'GET /organizations/{organization}/key-names': ApiKeyNames;
  'GET /organizations/{organization}/budgets': BudgetList;
  'POST /organizations/{organization}/budgets': BudgetSummary;
  'DELETE /organizations/{organization}/budgets': null;
  'POST /organizations/{organization}/budgets/test-mail': null;
  'GET /organizations/{organization}/rate-limits': RateLimitList;
  'PUT /organizations/{organization}/rate-limits': RateLimitOwner;
  'PUT /organizations/{organization}/rate-limits/defaults': RateLimitsSummary;
  'PUT /organizations/{organization}/model-access': ModelAccess;
  'PUT /organizations/{organization}/routes/{name}': RouteSummary;
  'DELETE /organizations/{organization}/routes/{name}': null;
  'GET /organizations/{organization}/audit-records': AuditRecordList;
}

export interface OrganizationList {
  object: 'list';
  /** The organizations of the user, the oldest membership first. */
  data: OrganizationSummary[];
  /** Whether the user may create organizations. */
  can_create: boolean;
}

export interface OrganizationSummary {
  id: string;
  name: string;
  /** The user's role. */
  role: Role;
}

export interface OrganizationDetails extends OrganizationSummary {
  created_at: string;
  /** Without a trailing slash; `base_url` of OpenAI clients is this and `/ai`. */
  api_base_url: string;
  /** Days after which log entries expire. */
  entry_retention_days: number;
  /** Seconds after which a revoked key is refused everywhere. */
  key_revocation_seconds: number;
  /** Whether somebody has been shown the value of a key in the dashboard, or has used one. */
  first_key_seen: boolean;
  /** Patterns of the models that its keys may use, such as `openai/*`; `null` for all. */
  models: string[] | null;
}

export interface MemberList {
  object: 'list';
  data: Member[];
}

export interface MemberRemovalList {
  object: 'list';
  /** In progress: these members are removed already, and their keys are being revoked. */
  data: MemberRemoval[];
}

export interface MemberRemoval {
  /** The user's. */
  id: string;
  name: string | null;
  removed_at: string;
  revoked_keys: number;
  /** `null` before the keys are counted. */
  total_keys: number | null;
}

export interface Member {
  id: string;
  email: string;
  name: string | null;
  role: Role;
  joined_at: string;
  /** Whether it is the user. */
  current: boolean;
  /** Active keys that the member has created. */
  active_keys: number;
}

export interface InvitationList {
  object: 'list';
  /** Invitations that can still be accepted, the newest first. */
  data: Invitation[];
}

export interface Invitation {
  id: string;
  email: string;
  role: Role;
  created_at: string;
  created_by: CreatorSummary;
  expires_at: string;
}

export interface NewInvitation extends Invitation {
  /** The link, which is shown once. */
  url: string;
  /** Whether it was also sent to the address. */
  mailed: boolean;
}

/** The holder of an invitation's link may know this. */
export interface InvitationOffer {
  organization_name: string;
  /** The only address that can accept it. */
  email: string;
  role: Role;
  invited_by: string;
  expires_at: string;
  state: 'pending' | 'accepted' | 'expired' | 'revoked';
}

export interface CreatorSummary {
  /** `null` for operators, who use the admin command. */
  id: string | null;
  name: string;
  /** False for users who have left the organization; true for operators. */
  active: boolean;
}

export interface ApiKeyList {
  object: 'list';
  /** May be fewer than the limit although there are further keys: a call reads a limited number. */
  data: ApiKeySummary[];
  next_cursor: string | null;
  /** The first day of the sums, that of the last UTC month: `2026-10-01`. */
  spend_since: string;
  /**
   * Keys in the order of their spending or of their last use, of which the list has those that match; `null` in the order of
   * creation.
   */
  ranking: { keys: number; complete: boolean } | null;
}

export interface ApiKeySummary {
  id: string;
  name: string;
  last_four: string;
  state: ApiKeyState;
  created_at: string;
  created_by: CreatorSummary;
  /** The user or command that rotated another key to this one, and so was shown it; `null` for the first key. */
  rotated_by: CreatorSummary | null;
  /** As it was set; `null` for a key that does not expire by itself. */
  expires_at: string | null;
  /** The earlier of `expires_at` and the end of the overlap with the replacement. */
  ends_at: string | null;
  /** The key that has replaced it; `null` before a rotation. */
  replacement_id: string | null;
  revoked_at: string | null;
  revoked_by: CreatorSummary | null;
  /** Whether the user may rename, expire, rotate and revoke it. */
  manageable: boolean;
  /**
   * The UTC day of the last request if it is today or yesterday, such as `2026-11-23`, else its UTC month; `null` without
   * requests since `spend_since`.
   */
  last_used: string | null;
  /** Since `spend_since`, like the numbers of requests. */
  spend_usd: string;
  requests: number;
  /** Requests that were not forwarded to a provider. They are no part of `requests`. */
  rejected_requests: number;
  /** Requests without a known price, which count as $0. */
  unpriced_requests: number;
  /** The share of assumed and estimated costs: 0.25 is a quarter. `null` if the cost is 0. */
  uncertain_share: number | null;
  /** The budgets of the key; of the first one if the key has replaced another. */
  budgets: BudgetSummary[];
  /** Like the budgets; `null` without limits. */
  rate_limits: RateLimitsSummary | null;
  /** Patterns of the models that it may use, as far as its organization may, shared like the budgets; `null` for all. */
  models: string[] | null;
}

export interface ApiKeyDetails extends ApiKeySummary {
  /** The keys that it has replaced by rotations, directly and through others, the last one first; at most 20. */
  replaces: ApiKeyName[];
  replaced_by: ApiKeyName | null;
  /** False for a key that an operator has created since `spend_since` and nobody has used. */
  has_been_seen: boolean;
}

export type ApiKeyState = 'active' | 'expired' | 'revoked';

export interface ApiKeyNames {
  object: 'list';
  data: ApiKeyName[];
}

export type ApiKeyName = Pick<ApiKeySummary, 'id' | 'name' | 'last_four' | 'state'>;

export interface NewApiKey {
  api_key: ApiKeySummary;
  /** The full key, which is shown once. */
  key: string;
}

export interface RotatedApiKey extends NewApiKey {
  replaced: ApiKeySummary;
}

export interface BudgetList {
  object: 'list';
  data: BudgetSummary[];
  next_cursor: string | null;
  /** All budgets that were compared, in the order of their spending; `null` in the order of creation. */
  ranking: { budgets: number; complete: boolean } | null;
  /** Whether the gateway has an address to send e-mails from, so that owners get them. */
  mail: { sender: boolean };
}

export interface BudgetSummary {
  /** `null` for the organization's own budgets. */
  api_key_id: string | null;
  /** `null` for the organization's own budgets, and for keys that no longer exist. */
  api_key_name: string | null;
  period: 'day' | 'month';
  amount_usd: string;
  hard: boolean;
  allow_unpriced: boolean;
  /** A change takes up to 30 seconds. */
  state: 'activating' | 'active';
  period_start: string;
  period_end: string;
  /** `null` while a new budget is activating. */
  spent_usd: string | null;
  reserved_usd: string | null;
  /** From 0, in whole percent of the amount, rounded, but 99 until it is spent; may exceed 100. `null` like `spent_usd`. */
  spent_percent: number | null;
  /** The requests that the budget has refused in its current period. */
  refused_requests: number;
}

/** `null` for a limit that is not set. */
export interface RateLimitsSummary {
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  /** Requests at the same time. */
  concurrent: number | null;
}

export interface RateLimitList {
  object: 'list';
  /** The organization's own limits first, then those of its keys, the newest key first. Keys without limits are left out. */
  data: RateLimitOwner[];
  next_cursor: string | null;
  /** The limits that keys get when they are created; `null` without any. */
  defaults: {
    new_keys: RateLimitsSummary | null;
    /** For keys that users with the role `member` create, instead of `new_keys`. */
    member_keys: RateLimitsSummary | null;
  };
}

export interface RateLimitOwner extends RateLimitsSummary {
  /** `null` for the organization's own limits. */
  api_key_id: string | null;
  /** `null` for the organization's own limits, and for keys that no longer exist. */
  api_key_name: string | null;
}

/** The models that the organization or a key may use. */
export interface ModelAccess {
  /** `null` for the organization. */
  api_key_id: string | null;
  /** `null` for all. */
  models: string[] | null;
}

export interface RouteSummary {
  /** Without `route/`. */
  name: string;
  owner: 'organization' | 'operator';
  /** An operator's route that a route of the organization replaces. */
  overridden: boolean;
  strategy: RouteStrategy;
  targets: RouteTarget[];
  attempts: number;
  changed_at: string;
}

export interface AuditRecordList {
  object: 'list';
  /** The newest first. May be fewer than the limit although there are further records: a call reads a limited number. */
  data: AuditRecordSummary[];
  next_cursor: string | null;
}

export interface AuditRecordSummary {
  id: string;
  at: string;
  actor: { type: 'user' | 'operator'; id: string; name: string | null; email: string | null };
  action: AuditAction;
  target: AuditTarget;
  before: AuditValues | null;
  after: AuditValues | null;
  stage: AuditStage;
  operation_id: string;
}
