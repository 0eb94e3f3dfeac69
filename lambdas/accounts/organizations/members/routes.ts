import { organizationRoute, type Route } from '../call.ts';
import { changeRole, deleteMember, listMembers } from './endpoints.ts';

export const memberRoutes: readonly Route[] = [
  organizationRoute('GET', '/members', 'view', listMembers),
  organizationRoute('PATCH', '/members/{member}', 'manage_members', changeRole),
  organizationRoute('DELETE', '/members/{member}', 'view', deleteMember),
];
