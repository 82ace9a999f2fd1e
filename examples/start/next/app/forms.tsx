'use client';
import { useActionState } from 'react';
import { add, find } from './actions';

export function Forms() {
  const [added, addAction] = useActionState(add, '');
  const [found, findAction] = useActionState(find, '');
  return (
    <>
      <form action={addAction}>
        <label>
          Name <input name="name" required />
        </label>
        <label>
          E-mail <input name="email" type="email" required />
        </label>
        <label>
          Month of birth <input name="born" placeholder="1815-12" required />
        </label>
        <button>Add</button> <output>{added}</output>
      </form>
      <form action={findAction}>
        <label>
          Find by e-mail <input name="email" required />
        </label>
        <button>Find</button> <output>{found}</output>
      </form>
    </>
  );
}
