import type { AuditRecordSummary } from '#lambdas/accounts/organizations/responses.ts';

interface ActorLabel {
  name: string;
  /** The address of a user with a name, or the kind of AWS identity. */
  detail: string | null;
}

export function actorLabel({ type, id, name, email }: AuditRecordSummary['actor']): ActorLabel {
  if (type === 'operator') return operatorLabel(id);
  return name === null ? { name: email ?? id, detail: null } : { name, detail: email };
}

/** Shortens an ARN such as `arn:aws:sts::123456789012:assumed-role/Admin/ada` to "ada" and "Operator · Admin". */
function operatorLabel(arn: string): ActorLabel {
  const resource = /^arn:[^:]*:(?:iam|sts):[^:]*:[^:]*:(.+)$/.exec(arn)?.[1];
  if (resource === undefined) return { name: arn, detail: 'Operator' };
  const [kind = '', ...path] = resource.split('/');
  const name = path.at(-1) ?? kind;
  return { name, detail: kind === 'assumed-role' ? `Operator · ${path[0]}` : 'Operator' };
}
