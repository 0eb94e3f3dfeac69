import { useMutation } from '@tanstack/react-query';
import { isSessionEnded, remove } from '#dashboard/api/client.ts';
import { notifyFailure } from '#dashboard/components/feedback/toast.tsx';
import { leave } from './sign-in-service.ts';

/** Ends the session, and leads to the page that says so. */
export function useSignOut(): () => void {
  const signOut = useMutation({
    mutationFn: () => remove('/session'),
    onSuccess: () => leave('signed_out'),
    onError: (error) => !isSessionEnded(error) && notifyFailure(error.message),
  });
  return () => signOut.mutate();
}
