import { Badge } from '#dashboard/components/badge.tsx';
import type { Role } from '#lambdas/accounts/permissions.ts';
import { roleNames } from './roles.ts';

export function RoleBadge({ role }: { role: Role }) {
  return <Badge tone={role === 'owner' ? 'accent' : 'neutral'}>{roleNames[role]}</Badge>;
}
