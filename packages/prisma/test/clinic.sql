create table doctors (id uuid primary key, title text not null);
create table patients (
  id uuid primary key,
  name text,
  email text,
  email_index text,
  ssn text,
  ssn_index text unique,
  born text,
  born_index text,
  weight text,
  notes text,
  scan text,
  ward text,
  phone text,
  city text not null,
  doctor_id uuid references doctors (id)
);
create table visits (
  id uuid primary key,
  note text,
  kind text not null,
  patient_id uuid not null references patients (id) on delete cascade
);
create table bills (
  id uuid primary key,
  text text,
  cents integer not null,
  visit_id uuid not null unique references visits (id) on delete cascade
);
create table tags (id uuid primary key, label text, label_index text unique);
create table "_PatientToTag" (
  "A" uuid not null references patients (id) on delete cascade,
  "B" uuid not null references tags (id) on delete cascade,
  primary key ("A", "B")
);
