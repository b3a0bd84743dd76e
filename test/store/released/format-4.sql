PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE names (
  id   INTEGER PRIMARY KEY,
  text TEXT NOT NULL
) STRICT;
INSERT INTO names VALUES(0,'tvl-low');
INSERT INTO names VALUES(1,'acked-low');
INSERT INTO names VALUES(2,'silenced-low');
INSERT INTO names VALUES(3,'crossing');
INSERT INTO names VALUES(4,'flappy');
INSERT INTO names VALUES(5,'spent');
INSERT INTO names VALUES(6,'unanswered');
INSERT INTO names VALUES(7,'fallen');
INSERT INTO names VALUES(8,'together');
INSERT INTO names VALUES(9,'gated');
INSERT INTO names VALUES(10,'swap');
INSERT INTO names VALUES(11,'v4_pool:1:0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa');
INSERT INTO names VALUES(12,'v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb');
INSERT INTO names VALUES(13,'v4_pool:1:0xcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc');
INSERT INTO names VALUES(14,'v4_pool:1:0xdddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd');
INSERT INTO names VALUES(15,'v4_pool:1:0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee');
INSERT INTO names VALUES(16,'v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff');
INSERT INTO names VALUES(17,'across:sum:v4_pool:f8ef7ed17a78a025');
INSERT INTO names VALUES(18,'v4_swaps:1:0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa');
INSERT INTO names VALUES(19,'tickwatch:source');
INSERT INTO names VALUES(20,'v4_pool');
INSERT INTO names VALUES(21,'v4_swap');
CREATE TABLE series (
  id      INTEGER PRIMARY KEY,
  subject INTEGER NOT NULL REFERENCES names (id),
  metric  TEXT NOT NULL,
  UNIQUE (subject, metric)
) STRICT;
INSERT INTO series VALUES(1,11,'tvl_usd');
INSERT INTO series VALUES(2,12,'tvl_usd');
INSERT INTO series VALUES(3,13,'tvl_usd');
INSERT INTO series VALUES(4,14,'tvl_usd');
INSERT INTO series VALUES(5,15,'tvl_usd');
INSERT INTO series VALUES(6,16,'price');
INSERT INTO series VALUES(7,17,'tvl_usd');
CREATE TABLE newest (
  series INTEGER PRIMARY KEY REFERENCES series (id),
  first  INTEGER NOT NULL,
  last   INTEGER NOT NULL,
  value  TEXT,
  prev   INTEGER
) STRICT;
INSERT INTO newest VALUES(1,1795867260000,1795869000000,'1000',NULL);
INSERT INTO newest VALUES(2,1795868400000,1795869000000,'790',1795867260000);
INSERT INTO newest VALUES(3,1795868880000,1795869000000,'700',1795867260000);
INSERT INTO newest VALUES(4,1795868880000,1795869000000,'1000',1795868280000);
INSERT INTO newest VALUES(5,1795867800000,1795869000000,NULL,1795867260000);
INSERT INTO newest VALUES(6,1795868160000,1795869000000,'2100',1795868100000);
INSERT INTO newest VALUES(7,1795868400000,1795869000000,'1790',1795867260000);
CREATE TABLE runs (
  first  INTEGER NOT NULL,
  series INTEGER NOT NULL,
  last   INTEGER NOT NULL,
  value  TEXT,
  prev   INTEGER,
  PRIMARY KEY (first, series)
) STRICT, WITHOUT ROWID;
INSERT INTO runs VALUES(1795867260000,2,1795868340000,'1000',NULL);
INSERT INTO runs VALUES(1795867260000,3,1795868820000,'1000',NULL);
INSERT INTO runs VALUES(1795867260000,4,1795868220000,'1000',NULL);
INSERT INTO runs VALUES(1795867260000,5,1795867740000,'1000',NULL);
INSERT INTO runs VALUES(1795867260000,6,1795867260000,'1900',NULL);
INSERT INTO runs VALUES(1795867260000,7,1795868340000,'2000',NULL);
INSERT INTO runs VALUES(1795867320000,6,1795867320000,'2100',1795867260000);
INSERT INTO runs VALUES(1795867380000,6,1795867380000,'1900',1795867320000);
INSERT INTO runs VALUES(1795867440000,6,1795867440000,'2100',1795867380000);
INSERT INTO runs VALUES(1795867500000,6,1795867500000,'1900',1795867440000);
INSERT INTO runs VALUES(1795867560000,6,1795867560000,'2100',1795867500000);
INSERT INTO runs VALUES(1795867620000,6,1795867620000,'1900',1795867560000);
INSERT INTO runs VALUES(1795867680000,6,1795867680000,'2100',1795867620000);
INSERT INTO runs VALUES(1795867740000,6,1795867740000,'1900',1795867680000);
INSERT INTO runs VALUES(1795867800000,6,1795867800000,'2100',1795867740000);
INSERT INTO runs VALUES(1795867860000,6,1795867860000,'1900',1795867800000);
INSERT INTO runs VALUES(1795867920000,6,1795867920000,'2100',1795867860000);
INSERT INTO runs VALUES(1795867980000,6,1795867980000,'1900',1795867920000);
INSERT INTO runs VALUES(1795868040000,6,1795868040000,'2100',1795867980000);
INSERT INTO runs VALUES(1795868100000,6,1795868100000,'1900',1795868040000);
INSERT INTO runs VALUES(1795868280000,4,1795868820000,'800',1795867260000);
CREATE TABLE alerts (
  rule           INTEGER NOT NULL REFERENCES names (id),
  subject        INTEGER NOT NULL REFERENCES names (id),
  created_at     INTEGER NOT NULL,
  started        INTEGER NOT NULL,
  state          TEXT NOT NULL,
  since          INTEGER NOT NULL,
  held_at        INTEGER,
  fired_at       INTEGER,
  fired_bucket   INTEGER,
  missing_since  INTEGER,
  missing_rounds INTEGER,
  missing_told   INTEGER,
  told_state     TEXT NOT NULL,
  told_value     TEXT,
  told_channels  TEXT NOT NULL,
  label          TEXT,
  seen           TEXT, life TEXT,
  PRIMARY KEY (rule, subject)
) STRICT, WITHOUT ROWID;
INSERT INTO alerts VALUES(0,11,1795867260000,0,'ok',1795867260000,NULL,NULL,NULL,NULL,NULL,NULL,'ok',NULL,'[]','Quiet',NULL,NULL);
INSERT INTO alerts VALUES(0,12,1795867260000,1,'firing',1795868700000,NULL,1795868700000,NULL,NULL,NULL,NULL,'firing','790','["console","slack"]','Low',NULL,'{"firings":{"dates":[1795868700000],"on":null},"gaps":null,"worst":{"up":{"far":"-790","of":"1"},"down":null,"value":"790","way":"up"},"reminded":{"at":1795868700000,"count":0},"cooling":null,"held":null,"blindSince":null,"blindTo":null,"byMissing":false,"lapse":null,"once":null,"acked":null}');
INSERT INTO alerts VALUES(0,13,1795867260000,1,'pending',1795868880000,1795869000000,NULL,NULL,NULL,NULL,NULL,'ok',NULL,'[]','Soon',NULL,NULL);
INSERT INTO alerts VALUES(0,14,1795867260000,1,'recovering',1795868880000,1795869000000,1795868580000,NULL,NULL,NULL,NULL,'firing','800','["console","slack"]','Back',NULL,'{"firings":{"dates":[1795868580000],"on":null},"gaps":null,"worst":{"up":{"far":"-800","of":"1"},"down":null,"value":"800","way":"up"},"reminded":{"at":1795868580000,"count":0},"cooling":null,"held":null,"blindSince":null,"blindTo":null,"byMissing":false,"lapse":null,"once":null,"acked":null}');
INSERT INTO alerts VALUES(0,15,1795867260000,1,'ok',1795867260000,NULL,NULL,NULL,1795867740000,21,1,'ok',NULL,'[]','Blind',NULL,'{"firings":null,"gaps":{"dates":[1795868040000],"on":null},"worst":null,"reminded":null,"cooling":null,"held":null,"blindSince":null,"blindTo":["console","slack"],"byMissing":false,"lapse":null,"once":null,"acked":null}');
INSERT INTO alerts VALUES(1,12,1795867260000,1,'firing',1795868400000,NULL,1795868400000,NULL,NULL,NULL,NULL,'firing','790','["slack"]','Low',NULL,'{"firings":{"dates":[1795868400000],"on":null},"gaps":null,"worst":null,"reminded":{"at":1795868400000,"count":0},"cooling":null,"held":null,"blindSince":null,"blindTo":null,"byMissing":false,"lapse":null,"once":null,"acked":{"by":"anna","at":1795868520000}}');
INSERT INTO alerts VALUES(2,12,1795867260000,1,'firing',1795868400000,NULL,1795868400000,NULL,NULL,NULL,NULL,'firing','790','["slack"]','Low',NULL,'{"firings":{"dates":[1795868400000],"on":null},"gaps":null,"worst":null,"reminded":null,"cooling":null,"held":null,"blindSince":null,"blindTo":null,"byMissing":false,"lapse":null,"once":null,"acked":null}');
INSERT INTO alerts VALUES(3,16,1795867260000,1,'ok',1795867260000,NULL,NULL,NULL,NULL,NULL,NULL,'ok',NULL,'[]','Swinging','{"price":["2100","2100"]}','{"firings":null,"gaps":null,"worst":null,"reminded":null,"cooling":1795867320000,"held":{"count":14,"since":1795867380000,"base":"2100","first":"1900","last":"2100"},"blindSince":null,"blindTo":null,"byMissing":false,"lapse":null,"once":null,"acked":null}');
INSERT INTO alerts VALUES(4,16,1795867260000,1,'ok',1795868160000,NULL,NULL,NULL,NULL,NULL,NULL,'firing','1900','["slack"]','Swinging',NULL,'{"firings":{"dates":[1795867500000,1795867620000,1795867740000,1795867860000,1795867980000,1795868100000],"on":{"since":1795867860000,"told":1795867860000,"side":1795868160000}},"gaps":null,"worst":null,"reminded":null,"cooling":null,"held":null,"blindSince":null,"blindTo":null,"byMissing":false,"lapse":null,"once":null,"acked":null}');
INSERT INTO alerts VALUES(5,16,1795867260000,1,'ok',1795867440000,NULL,NULL,NULL,NULL,NULL,NULL,'ok','1900','[]','Swinging',NULL,'{"firings":{"dates":[1795867260000,1795867380000],"on":null},"gaps":null,"worst":null,"reminded":null,"cooling":null,"held":null,"blindSince":null,"blindTo":null,"byMissing":false,"lapse":null,"once":"spent","acked":null}');
INSERT INTO alerts VALUES(6,15,1795867260000,1,'firing',1795868040000,NULL,1795868040000,NULL,1795867740000,21,1,'firing',NULL,'["slack"]','Blind',NULL,'{"firings":{"dates":[1795868040000],"on":null},"gaps":null,"worst":null,"reminded":null,"cooling":null,"held":null,"blindSince":null,"blindTo":null,"byMissing":true,"lapse":null,"once":null,"acked":null}');
INSERT INTO alerts VALUES(7,12,1795867260000,1,'firing',1795868400000,NULL,1795868400000,NULL,NULL,NULL,NULL,'firing','790','["slack"]','Low',NULL,'{"firings":{"dates":[1795868400000],"on":null},"gaps":null,"worst":{"up":null,"down":{"far":"210","of":"1000"},"value":"790","way":"down"},"reminded":null,"cooling":null,"held":null,"blindSince":null,"blindTo":null,"byMissing":false,"lapse":null,"once":null,"acked":null}');
INSERT INTO alerts VALUES(8,17,1795867260000,1,'firing',1795868400000,NULL,1795868400000,NULL,NULL,NULL,NULL,'firing','1790','["slack"]','ETH/USDC 0.05%',NULL,'{"firings":{"dates":[1795868400000],"on":null},"gaps":null,"worst":null,"reminded":null,"cooling":null,"held":null,"blindSince":null,"blindTo":null,"byMissing":false,"lapse":null,"once":null,"acked":null}');
INSERT INTO alerts VALUES(9,12,1795867260000,1,'firing',1795868400000,NULL,1795868400000,NULL,NULL,NULL,NULL,'firing','790','["slack"]','Low',NULL,'{"firings":{"dates":[1795868400000],"on":null},"gaps":null,"worst":null,"reminded":null,"cooling":null,"held":null,"blindSince":null,"blindTo":null,"byMissing":false,"lapse":null,"once":null,"acked":null}');
INSERT INTO alerts VALUES(10,18,1795867260000,0,'ok',1795867260000,NULL,NULL,NULL,NULL,NULL,NULL,'ok',NULL,'[]','ETH/USDC 0.05%',NULL,NULL);
INSERT INTO alerts VALUES(19,20,1795867260000,1,'ok',1795867260000,1795869000000,NULL,NULL,NULL,NULL,NULL,'ok',NULL,'[]',NULL,NULL,NULL);
INSERT INTO alerts VALUES(19,21,1795867260000,1,'ok',1795867260000,1795869000000,NULL,NULL,NULL,NULL,NULL,'ok',NULL,'[]',NULL,NULL,NULL);
CREATE TABLE rules (
  name       INTEGER PRIMARY KEY REFERENCES names (id),
  version    TEXT NOT NULL,
  started_at INTEGER,
  last_round INTEGER
, written INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO rules VALUES(0,'2d033304210e76c6',1795867260000,1795867260000,13);
INSERT INTO rules VALUES(1,'381ae7329532ad2d',1795867260000,1795867260000,14);
INSERT INTO rules VALUES(2,'e3b22c07be87ff7a',1795867260000,1795867260000,15);
INSERT INTO rules VALUES(3,'c2f2b5df1b492dd9',1795867260000,1795867260000,16);
INSERT INTO rules VALUES(4,'07c38aedf202b18a',1795867260000,1795867260000,17);
INSERT INTO rules VALUES(5,'82914dc6087484ee',1795867260000,1795867260000,18);
INSERT INTO rules VALUES(6,'1ab8687752c04984',1795867260000,1795867260000,19);
INSERT INTO rules VALUES(7,'30c26d3fb1e03ea6',1795867260000,1795867260000,20);
INSERT INTO rules VALUES(8,'8f0cd65556b1af21',1795867260000,1795867260000,21);
INSERT INTO rules VALUES(9,'9fd9f3004783c7bc',1795867260000,1795867260000,22);
INSERT INTO rules VALUES(10,'2df0f9cef089f61f',1795867260000,1795867260000,24);
CREATE TABLE rule_versions (
  version TEXT PRIMARY KEY,
  source  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO rule_versions VALUES('07c38aedf202b18a','{"name":"flappy","kind":"v4_pool","subjects":[{"key":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","name":"Swinging"}],"across":null,"decimals":[],"when":{"metric":"price","below":{"number":"2000"}},"event":false,"resolveWhen":null,"forMs":0,"resolveAfterMs":0,"schedule":"every 60000","severity":"warning","labels":[],"notify":["slack"],"title":null,"note":null,"sendResolved":true,"missingAfterMs":300000,"maxAgeMs":7200000,"minAgeMs":300000,"onMissing":"keep","remind":[],"worse":null,"cooldownMs":0,"once":false,"gates":null}');
INSERT INTO rule_versions VALUES('1ab8687752c04984','{"name":"unanswered","kind":"v4_pool","subjects":[{"key":"v4_pool:1:0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee","name":"Blind"}],"across":null,"decimals":[],"when":{"metric":"tvl_usd","below":{"number":"1"}},"event":false,"resolveWhen":null,"forMs":0,"resolveAfterMs":0,"schedule":"every 60000","severity":"warning","labels":[],"notify":["slack"],"title":null,"note":null,"sendResolved":true,"missingAfterMs":300000,"maxAgeMs":7200000,"minAgeMs":300000,"onMissing":"fire","remind":[],"worse":null,"cooldownMs":0,"once":false,"gates":null}');
INSERT INTO rule_versions VALUES('2d033304210e76c6','{"name":"tvl-low","kind":"v4_pool","subjects":[{"key":"v4_pool:1:0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","name":"Quiet"},{"key":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","name":"Low"},{"key":"v4_pool:1:0xcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc","name":"Soon"},{"key":"v4_pool:1:0xdddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd","name":"Back"},{"key":"v4_pool:1:0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee","name":"Blind"}],"across":null,"decimals":[],"when":{"metric":"tvl_usd","below":{"number":"900"}},"event":false,"resolveWhen":null,"forMs":300000,"resolveAfterMs":300000,"schedule":"every 60000","severity":"warning","labels":[["team","lp"]],"notify":["console","slack"],"title":null,"note":null,"sendResolved":true,"missingAfterMs":300000,"maxAgeMs":7200000,"minAgeMs":300000,"onMissing":"keep","remind":[3600000],"worse":[{"metric":"tvl_usd","below":{"number":"900"}},{"number":"100"}],"cooldownMs":0,"once":false,"gates":null}');
INSERT INTO rule_versions VALUES('2df0f9cef089f61f','{"name":"swap","kind":"v4_swaps","subjects":[{"key":"v4_swaps:1:0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","name":null}],"across":null,"decimals":[],"when":{"metric":"amount_usd","above":{"number":"1000"}},"event":true,"resolveWhen":null,"forMs":0,"resolveAfterMs":0,"schedule":"every 60000","severity":"info","labels":[],"notify":["slack"],"title":null,"note":null,"sendResolved":true,"missingAfterMs":300000,"maxAgeMs":7200000,"minAgeMs":300000,"onMissing":"keep","remind":[],"worse":null,"cooldownMs":0,"once":false,"gates":null}');
INSERT INTO rule_versions VALUES('30c26d3fb1e03ea6','{"name":"fallen","kind":"v4_pool","subjects":[{"key":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","name":"Low"}],"across":null,"decimals":[],"when":{"metric":"tvl_usd","falls":{"percent":{"number":"15"}},"span":{"within":1800000}},"event":false,"resolveWhen":null,"forMs":0,"resolveAfterMs":0,"schedule":"every 60000","severity":"warning","labels":[],"notify":["slack"],"title":null,"note":null,"sendResolved":true,"missingAfterMs":300000,"maxAgeMs":7200000,"minAgeMs":300000,"onMissing":"keep","remind":[],"worse":[{"metric":"tvl_usd","falls":{"percent":{"number":"15"}},"span":{"within":1800000}},{"percent":{"number":"15"}}],"cooldownMs":0,"once":false,"gates":null}');
INSERT INTO rule_versions VALUES('381ae7329532ad2d','{"name":"acked-low","kind":"v4_pool","subjects":[{"key":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","name":"Low"}],"across":null,"decimals":[],"when":{"metric":"tvl_usd","below":{"number":"950"}},"event":false,"resolveWhen":null,"forMs":0,"resolveAfterMs":0,"schedule":"every 60000","severity":"warning","labels":[],"notify":["slack"],"title":null,"note":null,"sendResolved":true,"missingAfterMs":300000,"maxAgeMs":7200000,"minAgeMs":300000,"onMissing":"keep","remind":[600000],"worse":null,"cooldownMs":0,"once":false,"gates":null}');
INSERT INTO rule_versions VALUES('82914dc6087484ee','{"name":"spent","kind":"v4_pool","subjects":[{"key":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","name":"Swinging"}],"across":null,"decimals":[],"when":{"metric":"price","below":{"number":"2000"}},"event":false,"resolveWhen":null,"forMs":0,"resolveAfterMs":0,"schedule":"every 60000","severity":"warning","labels":[],"notify":["slack"],"title":null,"note":null,"sendResolved":true,"missingAfterMs":300000,"maxAgeMs":7200000,"minAgeMs":300000,"onMissing":"keep","remind":[],"worse":null,"cooldownMs":0,"once":true,"gates":null}');
INSERT INTO rule_versions VALUES('8f0cd65556b1af21','{"name":"together","kind":"v4_pool","subjects":[{"key":"v4_pool:1:0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","name":null},{"key":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","name":null}],"across":"sum","decimals":[],"when":{"metric":"tvl_usd","below":{"number":"1900"}},"event":false,"resolveWhen":null,"forMs":0,"resolveAfterMs":0,"schedule":"every 60000","severity":"warning","labels":[],"notify":["slack"],"title":null,"note":null,"sendResolved":true,"missingAfterMs":300000,"maxAgeMs":7200000,"minAgeMs":300000,"onMissing":"keep","remind":[],"worse":null,"cooldownMs":0,"once":false,"gates":null}');
INSERT INTO rule_versions VALUES('9fd9f3004783c7bc','{"name":"gated","kind":"v4_pool","subjects":[{"key":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","name":"Low"}],"across":null,"decimals":[],"when":{"metric":"tvl_usd","below":{"number":"1000"}},"event":false,"resolveWhen":null,"forMs":0,"resolveAfterMs":0,"schedule":"every 60000","severity":"warning","labels":[],"notify":["slack"],"title":null,"note":null,"sendResolved":true,"missingAfterMs":300000,"maxAgeMs":7200000,"minAgeMs":300000,"onMissing":"keep","remind":[],"worse":null,"cooldownMs":0,"once":false,"gates":{"onlyWhile":["acked-low"],"unless":[],"anyChain":false}}');
INSERT INTO rule_versions VALUES('c2f2b5df1b492dd9','{"name":"crossing","kind":"v4_pool","subjects":[{"key":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","name":"Swinging"}],"across":null,"decimals":[],"when":{"metric":"price","crosses":{"number":"2000"}},"event":true,"resolveWhen":null,"forMs":0,"resolveAfterMs":0,"schedule":"every 60000","severity":"warning","labels":[],"notify":["slack"],"title":null,"note":null,"sendResolved":true,"missingAfterMs":300000,"maxAgeMs":7200000,"minAgeMs":300000,"onMissing":"keep","remind":[],"worse":null,"cooldownMs":3600000,"once":false,"gates":null}');
INSERT INTO rule_versions VALUES('e3b22c07be87ff7a','{"name":"silenced-low","kind":"v4_pool","subjects":[{"key":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","name":"Low"}],"across":null,"decimals":[],"when":{"metric":"tvl_usd","below":{"number":"800"}},"event":false,"resolveWhen":null,"forMs":0,"resolveAfterMs":0,"schedule":"every 60000","severity":"warning","labels":[],"notify":["slack"],"title":null,"note":null,"sendResolved":true,"missingAfterMs":300000,"maxAgeMs":7200000,"minAgeMs":300000,"onMissing":"keep","remind":[],"worse":null,"cooldownMs":0,"once":false,"gates":null}');
CREATE TABLE rule_sets (
  hash  TEXT PRIMARY KEY,
  names TEXT NOT NULL
) STRICT;
INSERT INTO rule_sets VALUES('8c7d7511a2bb0013dc0e8fc21968918f1b8dcdcd6c96b0a6709c0c0e786c7d0e','["tvl-low","acked-low","silenced-low","crossing","flappy","spent","unanswered","fallen","together","gated"]');
INSERT INTO rule_sets VALUES('e8db8545f8e5850c98bb7857e55b25c164e5029fdadee243120baf08d9e40d0e','["swap"]');
INSERT INTO rule_sets VALUES('a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d','["tvl-low","acked-low","silenced-low","crossing","flappy","spent","unanswered","fallen","together","gated","swap"]');
CREATE TABLE rounds (
  date     INTEGER PRIMARY KEY,
  rule_set TEXT NOT NULL REFERENCES rule_sets (hash),
  requests INTEGER NOT NULL,
  subjects INTEGER NOT NULL,
  failed   INTEGER NOT NULL,
  failures TEXT NOT NULL,
  took_ms  REAL NOT NULL
) STRICT;
INSERT INTO rounds VALUES(1795867260000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',3,7,0,'{}',18.0);
INSERT INTO rounds VALUES(1795867320000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',24.0);
INSERT INTO rounds VALUES(1795867380000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',6.0);
INSERT INTO rounds VALUES(1795867440000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',7.0);
INSERT INTO rounds VALUES(1795867500000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',4.0);
INSERT INTO rounds VALUES(1795867560000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',4.0);
INSERT INTO rounds VALUES(1795867620000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',8.0);
INSERT INTO rounds VALUES(1795867680000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',8.0);
INSERT INTO rounds VALUES(1795867740000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',5.0);
INSERT INTO rounds VALUES(1795867800000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',3,7,0,'{}',18.0);
INSERT INTO rounds VALUES(1795867860000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',5.0);
INSERT INTO rounds VALUES(1795867920000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',7.0);
INSERT INTO rounds VALUES(1795867980000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',8.0);
INSERT INTO rounds VALUES(1795868040000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',4.0);
INSERT INTO rounds VALUES(1795868100000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',7.0);
INSERT INTO rounds VALUES(1795868160000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',4.0);
INSERT INTO rounds VALUES(1795868220000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',3.0);
INSERT INTO rounds VALUES(1795868280000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',4.0);
INSERT INTO rounds VALUES(1795868340000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',2.0);
INSERT INTO rounds VALUES(1795868400000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',5.0);
INSERT INTO rounds VALUES(1795868460000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',4.0);
INSERT INTO rounds VALUES(1795868520000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',7.0);
INSERT INTO rounds VALUES(1795868580000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',5.0);
INSERT INTO rounds VALUES(1795868640000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',4.0);
INSERT INTO rounds VALUES(1795868700000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',8.0);
INSERT INTO rounds VALUES(1795868760000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',3.0);
INSERT INTO rounds VALUES(1795868820000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',4.0);
INSERT INTO rounds VALUES(1795868880000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',4.0);
INSERT INTO rounds VALUES(1795868940000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',4.0);
INSERT INTO rounds VALUES(1795869000000,'a5f2fee0cbc799734c8b752850eb00712869e4f2121be986ef3b480f428d148d',2,7,0,'{}',4.0);
CREATE TABLE notices (
  seq     INTEGER PRIMARY KEY AUTOINCREMENT,
  id      TEXT NOT NULL UNIQUE,
  kind    TEXT NOT NULL,
  rule    TEXT,
  subject TEXT,
  at      INTEGER NOT NULL,
  body    TEXT NOT NULL
) STRICT;
INSERT INTO notices VALUES(1,'9aa01ea3ec8f8063','started','tvl-low',NULL,1795867260000,'{"rule":"tvl-low","title":null,"note":null,"labels":{"team":"lp"},"id":"9aa01ea3ec8f8063","kind":"started","severity":"warning","subject":null,"at":1795867260000,"headline":"🔵 Watching 5: 5 quiet: Quiet, Low, Soon, Back, Blind","fields":[{"name":"Condition","value":"tvl_usd below 900"},{"name":"Schedule","value":"1m"},{"name":"Rule","value":"tvl-low"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":[],"values":[{"subject":"v4_pool:1:0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","metric":"tvl_usd","quantity":"usd","value":"1000","decimals":null,"unit":"","op":"below","limits":["900"],"base":null,"baseAt":null},{"subject":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","metric":"tvl_usd","quantity":"usd","value":"1000","decimals":null,"unit":"","op":"below","limits":["900"],"base":null,"baseAt":null},{"subject":"v4_pool:1:0xcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc","metric":"tvl_usd","quantity":"usd","value":"1000","decimals":null,"unit":"","op":"below","limits":["900"],"base":null,"baseAt":null},{"subject":"v4_pool:1:0xdddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd","metric":"tvl_usd","quantity":"usd","value":"1000","decimals":null,"unit":"","op":"below","limits":["900"],"base":null,"baseAt":null},{"subject":"v4_pool:1:0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee","metric":"tvl_usd","quantity":"usd","value":"1000","decimals":null,"unit":"","op":"below","limits":["900"],"base":null,"baseAt":null}]}');
INSERT INTO notices VALUES(2,'d0db20b059b1d394','started','acked-low',NULL,1795867260000,'{"rule":"acked-low","title":null,"note":null,"labels":{},"id":"d0db20b059b1d394","kind":"started","severity":"warning","subject":null,"at":1795867260000,"headline":"🔵 Watching 1: 1 quiet: Low","fields":[{"name":"TVL","value":"$1,000"},{"name":"Condition","value":"tvl_usd below 950"},{"name":"Schedule","value":"1m"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"acked-low"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":[],"values":[{"subject":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","metric":"tvl_usd","quantity":"usd","value":"1000","decimals":null,"unit":"","op":"below","limits":["950"],"base":null,"baseAt":null}]}');
INSERT INTO notices VALUES(3,'003c457245ac96e9','started','silenced-low',NULL,1795867260000,'{"rule":"silenced-low","title":null,"note":null,"labels":{},"id":"003c457245ac96e9","kind":"started","severity":"warning","subject":null,"at":1795867260000,"headline":"🔵 Watching 1: 1 quiet: Low","fields":[{"name":"TVL","value":"$1,000"},{"name":"Condition","value":"tvl_usd below 800"},{"name":"Schedule","value":"1m"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"silenced-low"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":[],"values":[{"subject":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","metric":"tvl_usd","quantity":"usd","value":"1000","decimals":null,"unit":"","op":"below","limits":["800"],"base":null,"baseAt":null}]}');
INSERT INTO notices VALUES(4,'801b023fcb312501','started','crossing',NULL,1795867260000,'{"rule":"crossing","title":null,"note":null,"labels":{},"id":"801b023fcb312501","kind":"started","severity":"warning","subject":null,"at":1795867260000,"headline":"🔵 Watching 1: 1 quiet: Swinging","fields":[{"name":"Price","value":"1,900 USDC per ETH"},{"name":"Condition","value":"price crosses 2000"},{"name":"Schedule","value":"1m"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"crossing"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":[],"values":[{"subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","metric":"price","quantity":"price","value":"1900","decimals":null,"unit":"USDC per ETH","op":"crosses","limits":["2000"],"base":"1900","baseAt":null}]}');
INSERT INTO notices VALUES(5,'2d3742427898b402','started','flappy',NULL,1795867260000,'{"rule":"flappy","title":null,"note":null,"labels":{},"firing":[{"subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","label":"Swinging"}],"id":"2d3742427898b402","kind":"started","severity":"warning","subject":null,"at":1795867260000,"headline":"🔵 Watching 1: 1 firing: Swinging","fields":[{"name":"Swinging","value":"price 1,900 USDC per ETH, below 2000"},{"name":"Condition","value":"price below 2000"},{"name":"Schedule","value":"1m"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"flappy"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":[],"values":[{"subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","metric":"price","quantity":"price","value":"1900","decimals":null,"unit":"USDC per ETH","op":"below","limits":["2000"],"base":null,"baseAt":null}]}');
INSERT INTO notices VALUES(6,'551dfebeff1a32dd','started','spent',NULL,1795867260000,'{"rule":"spent","title":null,"note":null,"labels":{},"firing":[{"subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","label":"Swinging"}],"id":"551dfebeff1a32dd","kind":"started","severity":"warning","subject":null,"at":1795867260000,"headline":"🔵 Watching 1: 1 firing: Swinging","fields":[{"name":"Swinging","value":"price 1,900 USDC per ETH, below 2000"},{"name":"Condition","value":"price below 2000"},{"name":"Schedule","value":"1m"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"spent"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":[],"values":[{"subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","metric":"price","quantity":"price","value":"1900","decimals":null,"unit":"USDC per ETH","op":"below","limits":["2000"],"base":null,"baseAt":null}]}');
INSERT INTO notices VALUES(7,'aae9d2c61ea29a8d','started','unanswered',NULL,1795867260000,'{"rule":"unanswered","title":null,"note":null,"labels":{},"id":"aae9d2c61ea29a8d","kind":"started","severity":"warning","subject":null,"at":1795867260000,"headline":"🔵 Watching 1: 1 quiet: Blind","fields":[{"name":"TVL","value":"$1,000"},{"name":"Condition","value":"tvl_usd below 1"},{"name":"Schedule","value":"1m"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"unanswered"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":[],"values":[{"subject":"v4_pool:1:0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee","metric":"tvl_usd","quantity":"usd","value":"1000","decimals":null,"unit":"","op":"below","limits":["1"],"base":null,"baseAt":null}]}');
INSERT INTO notices VALUES(8,'eeff77e90194cae6','started','fallen',NULL,1795867260000,'{"rule":"fallen","title":null,"note":null,"labels":{},"id":"eeff77e90194cae6","kind":"started","severity":"warning","subject":null,"at":1795867260000,"headline":"🔵 Watching 1: 1 quiet: Low","fields":[{"name":"TVL","value":"$1,000"},{"name":"Condition","value":"tvl_usd falls 15% in 30 min"},{"name":"Schedule","value":"1m"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"fallen"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":[],"values":[{"subject":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","metric":"tvl_usd","quantity":"usd","value":"1000","decimals":null,"unit":"","op":"falls","limits":[],"base":"1000","baseAt":1795867260000}]}');
INSERT INTO notices VALUES(9,'5343763358de00dc','started','together',NULL,1795867260000,'{"rule":"together","title":null,"note":null,"labels":{},"id":"5343763358de00dc","kind":"started","severity":"warning","subject":null,"at":1795867260000,"headline":"🔵 Watching 1: 1 quiet: ETH/USDC 0.05%, Ethereum","fields":[{"name":"TVL","value":"$2,000"},{"name":"Condition","value":"tvl_usd below 1900"},{"name":"Schedule","value":"1m"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"together"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":[],"values":[{"subject":"across:sum:v4_pool:f8ef7ed17a78a025","metric":"tvl_usd","quantity":"usd","value":"2000","decimals":null,"unit":"","op":"below","limits":["1900"],"base":null,"baseAt":null}]}');
INSERT INTO notices VALUES(10,'7caacf96d2249284','started','gated',NULL,1795867260000,'{"rule":"gated","title":null,"note":null,"labels":{},"id":"7caacf96d2249284","kind":"started","severity":"warning","subject":null,"at":1795867260000,"headline":"🔵 Watching 1: 1 quiet: Low","fields":[{"name":"TVL","value":"$1,000"},{"name":"Condition","value":"tvl_usd below 1000"},{"name":"Schedule","value":"1m"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"gated"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":[],"values":[{"subject":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","metric":"tvl_usd","quantity":"usd","value":"1000","decimals":null,"unit":"","op":"below","limits":["1000"],"base":null,"baseAt":null}]}');
INSERT INTO notices VALUES(11,'d0fa8f7dc5a09bb3','started','swap',NULL,1795867260000,'{"rule":"swap","title":null,"note":null,"labels":{},"id":"d0fa8f7dc5a09bb3","kind":"started","severity":"info","subject":null,"at":1795867260000,"headline":"🔵 Watching 1: 1 quiet: ETH/USDC 0.05%","fields":[{"name":"Condition","value":"amount_usd above 1k usd"},{"name":"Schedule","value":"1m"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"swap"},{"name":"Severity","value":"info"}],"link":null,"range":null,"recent":[],"values":[]}');
INSERT INTO notices VALUES(12,'13ac55f407a7e686','changed','crossing','v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',1795867320000,'{"rule":"crossing","title":null,"note":null,"labels":{},"id":"13ac55f407a7e686","kind":"changed","severity":"warning","subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","at":1795867320000,"headline":"🟠 Price crossed 2,000 USDC/ETH upwards: Swinging, now 2,100. Ethereum","fields":[{"name":"Price","value":"2,100 USDC per ETH"},{"name":"Event","value":"crosses 2000"},{"name":"Before","value":"1,900 USDC per ETH"},{"name":"Change","value":"+200 USDC per ETH (+11%)"},{"name":"At","value":"2026-11-28 12:02 UTC"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"crossing"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["1900","2100"],"label":"Swinging","values":[{"subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","metric":"price","quantity":"price","value":"2100","decimals":null,"unit":"USDC per ETH","op":"crosses","limits":["2000"],"base":"1900","baseAt":null}]}');
INSERT INTO notices VALUES(13,'738784e8246c9aa7','resolved','flappy','v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',1795867320000,'{"rule":"flappy","title":null,"note":null,"labels":{},"id":"738784e8246c9aa7","kind":"resolved","severity":"warning","subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","at":1795867320000,"headline":"🟢 Swinging price back to 2,100 USDC/ETH, limit 2,000. Fired for 1 min","fields":[{"name":"Price","value":"2,100 USDC per ETH"},{"name":"Limit","value":"below 2000"},{"name":"Before","value":"1,900 USDC per ETH at 2026-11-28 12:01 UTC"},{"name":"Change","value":"+200 USDC per ETH (+11%)"},{"name":"Fired","value":"2026-11-28 12:01 UTC"},{"name":"Resolved","value":"2026-11-28 12:02 UTC, after 1 min"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"flappy"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["1900","2100"],"label":"Swinging","values":[{"subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","metric":"price","quantity":"price","value":"2100","decimals":null,"unit":"USDC per ETH","op":"below","limits":["2000"],"base":"1900","baseAt":1795867260000}]}');
INSERT INTO notices VALUES(14,'d10395422a1533e8','resolved','spent','v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',1795867320000,'{"rule":"spent","title":null,"note":null,"labels":{},"id":"d10395422a1533e8","kind":"resolved","severity":"warning","subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","at":1795867320000,"headline":"🟢 Swinging price back to 2,100 USDC/ETH, limit 2,000. Fired for 1 min","fields":[{"name":"Price","value":"2,100 USDC per ETH"},{"name":"Limit","value":"below 2000"},{"name":"Before","value":"1,900 USDC per ETH at 2026-11-28 12:01 UTC"},{"name":"Change","value":"+200 USDC per ETH (+11%)"},{"name":"Fired","value":"2026-11-28 12:01 UTC"},{"name":"Resolved","value":"2026-11-28 12:02 UTC, after 1 min"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"spent"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["1900","2100"],"label":"Swinging","values":[{"subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","metric":"price","quantity":"price","value":"2100","decimals":null,"unit":"USDC per ETH","op":"below","limits":["2000"],"base":"1900","baseAt":1795867260000}]}');
INSERT INTO notices VALUES(15,'31d5d6444796dd54','fired','flappy','v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',1795867380000,'{"rule":"flappy","title":null,"note":null,"labels":{},"id":"31d5d6444796dd54","kind":"fired","severity":"warning","subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","at":1795867380000,"headline":"🟠 Swinging price 1,900 USDC/ETH, below 2,000. Ethereum","fields":[{"name":"Price","value":"1,900 USDC per ETH"},{"name":"Limit","value":"below 2000"},{"name":"Before","value":"2,100 USDC per ETH at 2026-11-28 12:02 UTC"},{"name":"Change","value":"-200 USDC per ETH (-9.5%)"},{"name":"Since","value":"2026-11-28 12:03 UTC"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"flappy"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["1900","2100","1900"],"label":"Swinging","values":[{"subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","metric":"price","quantity":"price","value":"1900","decimals":null,"unit":"USDC per ETH","op":"below","limits":["2000"],"base":"2100","baseAt":1795867320000}]}');
INSERT INTO notices VALUES(16,'a879a87484403707','fired','spent','v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',1795867380000,'{"rule":"spent","title":null,"note":null,"labels":{},"id":"a879a87484403707","kind":"fired","severity":"warning","subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","at":1795867380000,"headline":"🟠 Swinging price 1,900 USDC/ETH, below 2,000. Ethereum","fields":[{"name":"Price","value":"1,900 USDC per ETH"},{"name":"Limit","value":"below 2000"},{"name":"Before","value":"2,100 USDC per ETH at 2026-11-28 12:02 UTC"},{"name":"Change","value":"-200 USDC per ETH (-9.5%)"},{"name":"Since","value":"2026-11-28 12:03 UTC"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"spent"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["1900","2100","1900"],"label":"Swinging","values":[{"subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","metric":"price","quantity":"price","value":"1900","decimals":null,"unit":"USDC per ETH","op":"below","limits":["2000"],"base":"2100","baseAt":1795867320000}]}');
INSERT INTO notices VALUES(17,'f9c555083ceee127','resolved','flappy','v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',1795867440000,'{"rule":"flappy","title":null,"note":null,"labels":{},"id":"f9c555083ceee127","kind":"resolved","severity":"warning","subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","at":1795867440000,"headline":"🟢 Swinging price back to 2,100 USDC/ETH, limit 2,000. Fired for 1 min","fields":[{"name":"Price","value":"2,100 USDC per ETH"},{"name":"Limit","value":"below 2000"},{"name":"Before","value":"1,900 USDC per ETH at 2026-11-28 12:03 UTC"},{"name":"Change","value":"+200 USDC per ETH (+11%)"},{"name":"Fired","value":"2026-11-28 12:03 UTC"},{"name":"Resolved","value":"2026-11-28 12:04 UTC, after 1 min"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"flappy"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["1900","2100","1900","2100"],"label":"Swinging","values":[{"subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","metric":"price","quantity":"price","value":"2100","decimals":null,"unit":"USDC per ETH","op":"below","limits":["2000"],"base":"1900","baseAt":1795867380000}]}');
INSERT INTO notices VALUES(18,'4168883d90da69bf','resolved','spent','v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',1795867440000,'{"rule":"spent","title":null,"note":null,"labels":{},"id":"4168883d90da69bf","kind":"resolved","severity":"warning","subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","at":1795867440000,"headline":"🟢 Swinging price back to 2,100 USDC/ETH, limit 2,000. Fired for 1 min","fields":[{"name":"Price","value":"2,100 USDC per ETH"},{"name":"Limit","value":"below 2000"},{"name":"Before","value":"1,900 USDC per ETH at 2026-11-28 12:03 UTC"},{"name":"Change","value":"+200 USDC per ETH (+11%)"},{"name":"Fired","value":"2026-11-28 12:03 UTC"},{"name":"Resolved","value":"2026-11-28 12:04 UTC, after 1 min"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"spent"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["1900","2100","1900","2100"],"label":"Swinging","values":[{"subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","metric":"price","quantity":"price","value":"2100","decimals":null,"unit":"USDC per ETH","op":"below","limits":["2000"],"base":"1900","baseAt":1795867380000}]}');
INSERT INTO notices VALUES(19,'d597480c6491c902','fired','flappy','v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',1795867500000,'{"rule":"flappy","title":null,"note":null,"labels":{},"id":"d597480c6491c902","kind":"fired","severity":"warning","subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","at":1795867500000,"headline":"🟠 Swinging price 1,900 USDC/ETH, below 2,000. Ethereum","fields":[{"name":"Price","value":"1,900 USDC per ETH"},{"name":"Limit","value":"below 2000"},{"name":"Before","value":"2,100 USDC per ETH at 2026-11-28 12:04 UTC"},{"name":"Change","value":"-200 USDC per ETH (-9.5%)"},{"name":"Since","value":"2026-11-28 12:05 UTC"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"flappy"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["1900","2100","1900","2100","1900"],"label":"Swinging","values":[{"subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","metric":"price","quantity":"price","value":"1900","decimals":null,"unit":"USDC per ETH","op":"below","limits":["2000"],"base":"2100","baseAt":1795867440000}]}');
INSERT INTO notices VALUES(20,'12120baadec7cece','resolved','flappy','v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',1795867560000,'{"rule":"flappy","title":null,"note":null,"labels":{},"id":"12120baadec7cece","kind":"resolved","severity":"warning","subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","at":1795867560000,"headline":"🟢 Swinging price back to 2,100 USDC/ETH, limit 2,000. Fired for 1 min","fields":[{"name":"Price","value":"2,100 USDC per ETH"},{"name":"Limit","value":"below 2000"},{"name":"Before","value":"1,900 USDC per ETH at 2026-11-28 12:05 UTC"},{"name":"Change","value":"+200 USDC per ETH (+11%)"},{"name":"Fired","value":"2026-11-28 12:05 UTC"},{"name":"Resolved","value":"2026-11-28 12:06 UTC, after 1 min"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"flappy"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["1900","2100","1900","2100","1900","2100"],"label":"Swinging","values":[{"subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","metric":"price","quantity":"price","value":"2100","decimals":null,"unit":"USDC per ETH","op":"below","limits":["2000"],"base":"1900","baseAt":1795867500000}]}');
INSERT INTO notices VALUES(21,'b8c34135c51e0f60','fired','flappy','v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',1795867620000,'{"rule":"flappy","title":null,"note":null,"labels":{},"id":"b8c34135c51e0f60","kind":"fired","severity":"warning","subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","at":1795867620000,"headline":"🟠 Swinging price 1,900 USDC/ETH, below 2,000. Ethereum","fields":[{"name":"Price","value":"1,900 USDC per ETH"},{"name":"Limit","value":"below 2000"},{"name":"Before","value":"2,100 USDC per ETH at 2026-11-28 12:06 UTC"},{"name":"Change","value":"-200 USDC per ETH (-9.5%)"},{"name":"Since","value":"2026-11-28 12:07 UTC"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"flappy"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["1900","2100","1900","2100","1900","2100","1900"],"label":"Swinging","values":[{"subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","metric":"price","quantity":"price","value":"1900","decimals":null,"unit":"USDC per ETH","op":"below","limits":["2000"],"base":"2100","baseAt":1795867560000}]}');
INSERT INTO notices VALUES(22,'204d999fe6c787d6','resolved','flappy','v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',1795867680000,'{"rule":"flappy","title":null,"note":null,"labels":{},"id":"204d999fe6c787d6","kind":"resolved","severity":"warning","subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","at":1795867680000,"headline":"🟢 Swinging price back to 2,100 USDC/ETH, limit 2,000. Fired for 1 min","fields":[{"name":"Price","value":"2,100 USDC per ETH"},{"name":"Limit","value":"below 2000"},{"name":"Before","value":"1,900 USDC per ETH at 2026-11-28 12:07 UTC"},{"name":"Change","value":"+200 USDC per ETH (+11%)"},{"name":"Fired","value":"2026-11-28 12:07 UTC"},{"name":"Resolved","value":"2026-11-28 12:08 UTC, after 1 min"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"flappy"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["1900","2100","1900","2100","1900","2100","1900","2100"],"label":"Swinging","values":[{"subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","metric":"price","quantity":"price","value":"2100","decimals":null,"unit":"USDC per ETH","op":"below","limits":["2000"],"base":"1900","baseAt":1795867620000}]}');
INSERT INTO notices VALUES(23,'69e27d90c22ea9b7','fired','flappy','v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',1795867740000,'{"rule":"flappy","title":null,"note":null,"labels":{},"id":"69e27d90c22ea9b7","kind":"fired","severity":"warning","subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","at":1795867740000,"headline":"🟠 Swinging price 1,900 USDC/ETH, below 2,000. Ethereum","fields":[{"name":"Price","value":"1,900 USDC per ETH"},{"name":"Limit","value":"below 2000"},{"name":"Before","value":"2,100 USDC per ETH at 2026-11-28 12:08 UTC"},{"name":"Change","value":"-200 USDC per ETH (-9.5%)"},{"name":"Since","value":"2026-11-28 12:09 UTC"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"flappy"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["1900","2100","1900","2100","1900","2100","1900","2100","1900"],"label":"Swinging","values":[{"subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","metric":"price","quantity":"price","value":"1900","decimals":null,"unit":"USDC per ETH","op":"below","limits":["2000"],"base":"2100","baseAt":1795867680000}]}');
INSERT INTO notices VALUES(24,'86ee14957d1b373a','resolved','flappy','v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',1795867800000,'{"rule":"flappy","title":null,"note":null,"labels":{},"id":"86ee14957d1b373a","kind":"resolved","severity":"warning","subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","at":1795867800000,"headline":"🟢 Swinging price back to 2,100 USDC/ETH, limit 2,000. Fired for 1 min","fields":[{"name":"Price","value":"2,100 USDC per ETH"},{"name":"Limit","value":"below 2000"},{"name":"Before","value":"1,900 USDC per ETH at 2026-11-28 12:09 UTC"},{"name":"Change","value":"+200 USDC per ETH (+11%)"},{"name":"Fired","value":"2026-11-28 12:09 UTC"},{"name":"Resolved","value":"2026-11-28 12:10 UTC, after 1 min"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"flappy"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["1900","2100","1900","2100","1900","2100","1900","2100","1900","2100"],"label":"Swinging","values":[{"subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","metric":"price","quantity":"price","value":"2100","decimals":null,"unit":"USDC per ETH","op":"below","limits":["2000"],"base":"1900","baseAt":1795867740000}]}');
INSERT INTO notices VALUES(25,'ec639da987d878f4','changed','swap','v4_swaps:1:0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',1795867800000,'{"rule":"swap","title":null,"note":null,"labels":{},"id":"ec639da987d878f4","kind":"changed","severity":"info","subject":"v4_swaps:1:0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","at":1795867800000,"headline":"🔵 Swap of $9,003: ETH/USDC 0.05%, 9,003 USDC for 1 ETH. Limit $1,000. Ethereum","fields":[{"name":"Swap","value":"$9,003"},{"name":"Limit","value":"above 1k usd"},{"name":"Change of token0","value":"-1 ETH"},{"name":"Change of token1","value":"9,003 USDC"},{"name":"Direction","value":"token1_in"},{"name":"Sender","value":"0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e"},{"name":"Block number","value":"1,003"},{"name":"Happened","value":"2026-11-28 12:00 UTC"},{"name":"At","value":"2026-11-28 12:10 UTC"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"swap"},{"name":"Severity","value":"info"}],"link":"https://etherscan.io/tx/0x0000000000000000000000000000000000000000000000000000000000000003","range":null,"recent":[],"label":"ETH/USDC 0.05%","values":[{"subject":"v4_swaps:1:0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","metric":"amount_usd","quantity":"usd","value":"9003","decimals":null,"unit":"","op":"above","limits":["1000"],"base":null,"baseAt":null}]}');
INSERT INTO notices VALUES(26,'86ecf1358e8d02cd','flapping','flappy','v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',1795867860000,'{"rule":"flappy","title":null,"note":null,"labels":{},"id":"86ecf1358e8d02cd","kind":"flapping","severity":"warning","subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","at":1795867860000,"headline":"🟠 Flapping: Swinging fired 6 times in 1 h. Quiet until it settles","fields":[{"name":"Price","value":"1,900 USDC per ETH"},{"name":"Limit","value":"below 2000"},{"name":"Before","value":"2,100 USDC per ETH at 2026-11-28 12:10 UTC"},{"name":"Change","value":"-200 USDC per ETH (-9.5%)"},{"name":"Firing since","value":"2026-11-28 12:11 UTC, 0 s"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"flappy"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["1900","2100","1900","2100","1900","2100","1900","2100","1900","2100","1900"],"label":"Swinging","values":[{"subject":"v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","metric":"price","quantity":"price","value":"1900","decimals":null,"unit":"USDC per ETH","op":"below","limits":["2000"],"base":"2100","baseAt":1795867800000}]}');
INSERT INTO notices VALUES(27,'85c35dbfebf10350','no_data','tvl-low','v4_pool:1:0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',1795868040000,'{"rule":"tvl-low","title":null,"note":null,"labels":{"team":"lp"},"id":"85c35dbfebf10350","kind":"no_data","severity":"warning","subject":"v4_pool:1:0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee","at":1795868040000,"headline":"⚪ No data 5 min: Blind. Was quiet, its state is kept. Ethereum","fields":[{"name":"Reason","value":"not in the answer"},{"name":"Without data since","value":"2026-11-28 12:09 UTC, 5 min"},{"name":"Alert","value":"ok"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"tvl-low"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":[],"label":"Blind","values":[]}');
INSERT INTO notices VALUES(28,'6cd3af7cada3293f','fired','unanswered','v4_pool:1:0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',1795868040000,'{"rule":"unanswered","title":null,"note":null,"labels":{},"id":"6cd3af7cada3293f","kind":"fired","severity":"warning","subject":"v4_pool:1:0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee","at":1795868040000,"headline":"🟠 No data 5 min: Blind. Fires for that","fields":[{"name":"Since","value":"2026-11-28 12:14 UTC"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"unanswered"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":[],"label":"Blind","values":[]}');
INSERT INTO notices VALUES(29,'67c0cb21d1b19daa','fired','acked-low','v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',1795868400000,'{"rule":"acked-low","title":null,"note":null,"labels":{},"id":"67c0cb21d1b19daa","kind":"fired","severity":"warning","subject":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","at":1795868400000,"headline":"🟠 Low TVL $790, below $950. Ethereum","fields":[{"name":"TVL","value":"$790"},{"name":"Limit","value":"below 950"},{"name":"Before","value":"$1,000 at 2026-11-28 12:19 UTC"},{"name":"Change","value":"-$210 (-21%)"},{"name":"Since","value":"2026-11-28 12:20 UTC"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"acked-low"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","790"],"label":"Low","values":[{"subject":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","metric":"tvl_usd","quantity":"usd","value":"790","decimals":null,"unit":"","op":"below","limits":["950"],"base":"1000","baseAt":1795868340000}]}');
INSERT INTO notices VALUES(30,'49c74c4ef628dd36','fired','silenced-low','v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',1795868400000,'{"rule":"silenced-low","title":null,"note":null,"labels":{},"id":"49c74c4ef628dd36","kind":"fired","severity":"warning","subject":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","at":1795868400000,"headline":"🟠 Low TVL $790, below $800. Ethereum","fields":[{"name":"TVL","value":"$790"},{"name":"Limit","value":"below 800"},{"name":"Before","value":"$1,000 at 2026-11-28 12:19 UTC"},{"name":"Change","value":"-$210 (-21%)"},{"name":"Since","value":"2026-11-28 12:20 UTC"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"silenced-low"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","790"],"label":"Low","values":[{"subject":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","metric":"tvl_usd","quantity":"usd","value":"790","decimals":null,"unit":"","op":"below","limits":["800"],"base":"1000","baseAt":1795868340000}]}');
INSERT INTO notices VALUES(31,'c4ac45cf2235cda5','fired','fallen','v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',1795868400000,'{"rule":"fallen","title":null,"note":null,"labels":{},"id":"c4ac45cf2235cda5","kind":"fired","severity":"warning","subject":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","at":1795868400000,"headline":"🟠 TVL -21% in 30 min: Low lost $210, now $790. Ethereum","fields":[{"name":"TVL","value":"$790"},{"name":"Limit","value":"falls 15% in 30 min"},{"name":"Before","value":"$1,000 at 2026-11-28 12:01 UTC"},{"name":"Change","value":"-$210 (-21%)"},{"name":"Since","value":"2026-11-28 12:20 UTC"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"fallen"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","790"],"label":"Low","values":[{"subject":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","metric":"tvl_usd","quantity":"usd","value":"790","decimals":null,"unit":"","op":"falls","limits":[],"base":"1000","baseAt":1795867260000}]}');
INSERT INTO notices VALUES(32,'cc2c8722c969ac44','fired','gated','v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',1795868400000,'{"rule":"gated","title":null,"note":null,"labels":{},"id":"cc2c8722c969ac44","kind":"fired","severity":"warning","subject":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","at":1795868400000,"headline":"🟠 Low TVL $790, below $1,000. Ethereum","fields":[{"name":"TVL","value":"$790"},{"name":"Limit","value":"below 1000"},{"name":"Before","value":"$1,000 at 2026-11-28 12:19 UTC"},{"name":"Change","value":"-$210 (-21%)"},{"name":"Since","value":"2026-11-28 12:20 UTC"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"gated"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","790"],"label":"Low","values":[{"subject":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","metric":"tvl_usd","quantity":"usd","value":"790","decimals":null,"unit":"","op":"below","limits":["1000"],"base":"1000","baseAt":1795868340000}]}');
INSERT INTO notices VALUES(33,'846877ba4913ba0b','fired','together','across:sum:v4_pool:f8ef7ed17a78a025',1795868400000,'{"rule":"together","title":null,"note":null,"labels":{},"id":"846877ba4913ba0b","kind":"fired","severity":"warning","subject":"across:sum:v4_pool:f8ef7ed17a78a025","at":1795868400000,"headline":"🟠 TVL of ETH/USDC 0.05% $1,790, below $1,900. Ethereum","fields":[{"name":"TVL","value":"$1,790"},{"name":"Limit","value":"below 1900"},{"name":"Before","value":"$2,000 at 2026-11-28 12:19 UTC"},{"name":"Change","value":"-$210 (-11%)"},{"name":"Since","value":"2026-11-28 12:20 UTC"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"together"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["2000","2000","2000","2000","2000","2000","2000","2000","2000","2000","2000","2000","2000","2000","2000","2000","2000","2000","2000","1790"],"label":"ETH/USDC 0.05%","values":[{"subject":"across:sum:v4_pool:f8ef7ed17a78a025","metric":"tvl_usd","quantity":"usd","value":"1790","decimals":null,"unit":"","op":"below","limits":["1900"],"base":"2000","baseAt":1795868340000}]}');
INSERT INTO notices VALUES(34,'4552b8cf620b65aa','fired','tvl-low','v4_pool:1:0xdddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd',1795868580000,'{"rule":"tvl-low","title":null,"note":null,"labels":{"team":"lp"},"id":"4552b8cf620b65aa","kind":"fired","severity":"warning","subject":"v4_pool:1:0xdddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd","at":1795868580000,"headline":"🟠 Back TVL $800, below $900. Ethereum","fields":[{"name":"TVL","value":"$800"},{"name":"Limit","value":"below 900"},{"name":"Before","value":"$800 at 2026-11-28 12:22 UTC"},{"name":"Change","value":"$0 (0%)"},{"name":"Since","value":"2026-11-28 12:23 UTC, held for 5 min before"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"tvl-low"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","800","800","800","800","800","800"],"label":"Back","group":{"became":"fired","of":5},"values":[{"subject":"v4_pool:1:0xdddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd","metric":"tvl_usd","quantity":"usd","value":"800","decimals":null,"unit":"","op":"below","limits":["900"],"base":"800","baseAt":1795868520000}]}');
INSERT INTO notices VALUES(35,'6d1f4bc72607f15f','fired','tvl-low','v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',1795868700000,'{"rule":"tvl-low","title":null,"note":null,"labels":{"team":"lp"},"id":"6d1f4bc72607f15f","kind":"fired","severity":"warning","subject":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","at":1795868700000,"headline":"🟠 Low TVL $790, below $900. Ethereum","fields":[{"name":"TVL","value":"$790"},{"name":"Limit","value":"below 900"},{"name":"Before","value":"$790 at 2026-11-28 12:24 UTC"},{"name":"Change","value":"$0 (0%)"},{"name":"Since","value":"2026-11-28 12:25 UTC, held for 5 min before"},{"name":"Chain","value":"Ethereum"},{"name":"Rule","value":"tvl-low"},{"name":"Severity","value":"warning"}],"link":null,"range":null,"recent":["1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","1000","790","790","790","790","790","790"],"label":"Low","group":{"became":"fired","of":5},"values":[{"subject":"v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","metric":"tvl_usd","quantity":"usd","value":"790","decimals":null,"unit":"","op":"below","limits":["900"],"base":"790","baseAt":1795868640000}]}');
CREATE TABLE messages (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  channel    TEXT NOT NULL,
  body       TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('due', 'waiting', 'sent', 'dead')),
  attempts   INTEGER NOT NULL,
  until      INTEGER,
  error      TEXT,
  created_at INTEGER NOT NULL,
  settled_at INTEGER
) STRICT;
INSERT INTO messages VALUES(1,'message-sent','slack','{"text":"sent"}','sent',1,NULL,NULL,1795868700000,1795868760000);
INSERT INTO messages VALUES(2,'message-dead','slack','{"text":"dead"}','dead',1,NULL,'answered 400',1795868700000,1795868820000);
INSERT INTO messages VALUES(3,'message-waiting','slack','{"text":"frozen: TVL fell"}','waiting',2,1795869060000,'answered 503',1795868700000,NULL);
INSERT INTO messages VALUES(4,'message-due','slack','{"text":"frozen: swap"}','due',1,NULL,NULL,1795868700000,NULL);
CREATE TABLE owed (
  notice  INTEGER NOT NULL REFERENCES notices (seq),
  channel TEXT NOT NULL,
  message INTEGER REFERENCES messages (seq),
  place   INTEGER, held_until INTEGER,
  PRIMARY KEY (notice, channel)
) STRICT, WITHOUT ROWID;
INSERT INTO owed VALUES(1,'console',NULL,NULL,NULL);
INSERT INTO owed VALUES(1,'slack',1,0,NULL);
INSERT INTO owed VALUES(2,'slack',1,1,NULL);
INSERT INTO owed VALUES(3,'slack',1,2,NULL);
INSERT INTO owed VALUES(4,'slack',1,3,NULL);
INSERT INTO owed VALUES(5,'slack',1,4,NULL);
INSERT INTO owed VALUES(6,'slack',1,5,NULL);
INSERT INTO owed VALUES(7,'slack',1,6,NULL);
INSERT INTO owed VALUES(8,'slack',1,7,NULL);
INSERT INTO owed VALUES(9,'slack',1,8,NULL);
INSERT INTO owed VALUES(10,'slack',1,9,NULL);
INSERT INTO owed VALUES(11,'slack',1,10,NULL);
INSERT INTO owed VALUES(12,'slack',NULL,NULL,NULL);
INSERT INTO owed VALUES(13,'slack',NULL,NULL,NULL);
INSERT INTO owed VALUES(14,'slack',NULL,NULL,NULL);
INSERT INTO owed VALUES(15,'slack',NULL,NULL,NULL);
INSERT INTO owed VALUES(16,'slack',NULL,NULL,NULL);
INSERT INTO owed VALUES(17,'slack',NULL,NULL,NULL);
INSERT INTO owed VALUES(18,'slack',NULL,NULL,NULL);
INSERT INTO owed VALUES(19,'slack',NULL,NULL,NULL);
INSERT INTO owed VALUES(20,'slack',NULL,NULL,NULL);
INSERT INTO owed VALUES(21,'slack',NULL,NULL,NULL);
INSERT INTO owed VALUES(22,'slack',NULL,NULL,NULL);
INSERT INTO owed VALUES(23,'slack',NULL,NULL,NULL);
INSERT INTO owed VALUES(24,'slack',NULL,NULL,NULL);
INSERT INTO owed VALUES(25,'slack',4,0,NULL);
INSERT INTO owed VALUES(26,'slack',NULL,NULL,NULL);
INSERT INTO owed VALUES(27,'console',NULL,NULL,NULL);
INSERT INTO owed VALUES(27,'slack',NULL,NULL,NULL);
INSERT INTO owed VALUES(28,'slack',2,0,NULL);
INSERT INTO owed VALUES(29,'slack',NULL,NULL,NULL);
INSERT INTO owed VALUES(30,'slack',NULL,NULL,1795872600000);
INSERT INTO owed VALUES(31,'slack',3,0,NULL);
INSERT INTO owed VALUES(32,'slack',NULL,NULL,NULL);
INSERT INTO owed VALUES(33,'slack',NULL,NULL,NULL);
INSERT INTO owed VALUES(34,'console',NULL,NULL,NULL);
INSERT INTO owed VALUES(34,'slack',NULL,NULL,NULL);
INSERT INTO owed VALUES(35,'console',NULL,NULL,NULL);
INSERT INTO owed VALUES(35,'slack',NULL,NULL,NULL);
CREATE TABLE fence (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  counter INTEGER NOT NULL,
  process INTEGER
) STRICT;
INSERT INTO fence VALUES(1,1,16000);
CREATE TABLE cursors (
  subject INTEGER PRIMARY KEY REFERENCES names (id),
  value   TEXT NOT NULL
) STRICT;
INSERT INTO cursors VALUES(18,'{"order":null,"end":null,"search":null,"floor":null,"at":1795867236000,"lost":false,"seen":[["hs82vCwucu-63TvZ",1001,1,0,"uaYe4W0i","A7aEq3lR"],["IQaorsSWTYZtSAN6",1002,1,0,"H2Iq5Isy","O0Ad-QfC"],["giXtT8lexen2Ffhu",1003,1,0,"y1nXlMa3","9Le_E6Cx"]]}');
CREATE TABLE marks (
  subject INTEGER PRIMARY KEY REFERENCES names (id),
  value   TEXT NOT NULL
) STRICT;
INSERT INTO marks VALUES(11,'[1795869000000,["v4_pool:1:0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",1030,1795869000]]');
INSERT INTO marks VALUES(12,'[1795869000000,["v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",1030,1795869000]]');
INSERT INTO marks VALUES(13,'[1795869000000,["v4_pool:1:0xcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc",1030,1795869000]]');
INSERT INTO marks VALUES(14,'[1795869000000,["v4_pool:1:0xdddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd",1030,1795869000]]');
INSERT INTO marks VALUES(15,'[1795867740000,["v4_pool:1:0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",1009,1795867740]]');
INSERT INTO marks VALUES(16,'[1795869000000,["v4_pool:1:0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",1030,1795869000]]');
CREATE TABLE silences (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  rule       TEXT,
  subjects   TEXT,
  labels     TEXT NOT NULL,
  starts_at  INTEGER NOT NULL,
  ends_at    INTEGER NOT NULL,
  author     TEXT NOT NULL,
  comment    TEXT,
  created_at INTEGER NOT NULL
) STRICT;
INSERT INTO silences VALUES(1,'silenced-low',NULL,'{}',1795867800000,1795872600000,'anna','known',1795867800000);
INSERT INTO silences VALUES(2,NULL,NULL,'{"team":"dex"}',1795867800000,1795868940000,'anna','known',1795867800000);
CREATE TABLE orders (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  kind    TEXT NOT NULL CHECK (kind IN ('ack', 'unack', 'rearm')),
  rule    TEXT NOT NULL,
  subject TEXT,
  author  TEXT NOT NULL,
  comment TEXT,
  at      INTEGER NOT NULL,
  done_at INTEGER
) STRICT;
INSERT INTO orders VALUES(1,'ack','acked-low','v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb','anna','moving it',1795868520000,1795905150208);
INSERT INTO orders VALUES(2,'ack','tvl-low','v4_pool:1:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb','ben',NULL,1795869000000,NULL);
CREATE TABLE closed_rounds (
  rule_set TEXT PRIMARY KEY REFERENCES rule_sets (hash),
  date     INTEGER NOT NULL,
  written  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO closed_rounds VALUES('8c7d7511a2bb0013dc0e8fc21968918f1b8dcdcd6c96b0a6709c0c0e786c7d0e',1795869000000,81);
INSERT INTO closed_rounds VALUES('e8db8545f8e5850c98bb7857e55b25c164e5029fdadee243120baf08d9e40d0e',1795869000000,82);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('notices',35);
INSERT INTO sqlite_sequence VALUES('orders',2);
INSERT INTO sqlite_sequence VALUES('silences',2);
INSERT INTO sqlite_sequence VALUES('messages',4);
CREATE TRIGGER newest_becomes_older BEFORE UPDATE OF first ON newest WHEN NEW.first > OLD.first
BEGIN
  INSERT INTO runs VALUES (OLD.first, OLD.series, OLD.last, OLD.value, OLD.prev);
END;
CREATE INDEX rounds_of_rule_set ON rounds (rule_set);
CREATE INDEX notices_by_date ON notices (at);
CREATE INDEX messages_open ON messages (channel, seq) WHERE settled_at IS NULL;
CREATE INDEX messages_settled ON messages (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX owed_open ON owed (channel, notice) WHERE message IS NULL;
CREATE INDEX owed_in_message ON owed (message, place) WHERE message IS NOT NULL;
CREATE INDEX owed_held ON owed (channel, held_until) WHERE held_until IS NOT NULL;
CREATE INDEX silences_by_end ON silences (ends_at);
CREATE INDEX orders_open ON orders (id) WHERE done_at IS NULL;
CREATE VIEW rule_states (name, version, started_at, last_round) AS
SELECT text, version, started_at,
  CASE WHEN closed.written > rules.written THEN closed.date ELSE last_round END
FROM rules JOIN names ON id = rules.name LEFT JOIN (
  SELECT value AS name, date, max(written) AS written
  FROM closed_rounds JOIN rule_sets ON hash = rule_set JOIN json_each(names) GROUP BY value
) AS closed ON closed.name = text;
COMMIT;
PRAGMA application_id = 1953063787;
PRAGMA user_version = 4;
