create type "Rank" as enum ('nurse', 'surgeon');
create table persons (
  id uuid primary key,
  name text,
  name_words text,
  name_born text,
  born text,
  born_month text,
  born_range text,
  nick text,
  nick_index text unique,
  rank "Rank" not null default 'nurse',
  badges text[],
  ranks "Rank"[],
  boss_id uuid references persons (id)
);
create table "_friends" (
  "A" uuid not null references persons (id) on delete cascade,
  "B" uuid not null references persons (id) on delete cascade,
  primary key ("A", "B")
);
create table beds (
  ward text not null,
  number integer not null,
  note text,
  code text,
  code_index text,
  person_id uuid references persons (id),
  primary key (ward, number),
  unique (ward, code_index)
);
create table checks (
  day integer not null,
  ward text not null,
  number integer not null,
  remark text,
  foreign key (ward, number) references beds (ward, number) on delete cascade,
  primary key (ward, number, day)
);
