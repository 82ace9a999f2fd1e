create table patients (id uuid primary key, name text, nickname text not null, profile jsonb, picture bytea);
create table visits (
  id uuid primary key,
  note text,
  kind text not null,
  patient_id uuid not null references patients (id) on delete cascade
);
create table comments (
  id uuid primary key,
  text text not null,
  extra jsonb,
  patient_id uuid references patients (id) on delete cascade
);
