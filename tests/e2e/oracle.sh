# SPDX-License-Identifier: GPL-3.0-or-later
# The program's own functions compute every row of tests/data/oracle. The checking program fails for
# wrong values and wrong tables.
. "$SRCDIR/tests/e2e/lib.sh"
oracle=$BUILD/tests/oracle
[ -x "$oracle" ] || fail "$oracle is missing: \"make oracle\" builds it"

expect_status 0 "$oracle" "$SRCDIR/tests/data/oracle"
expect_line out 'expected_nist.csv: 85 passed, 0 failed, worst deviation 0.5'
expect_line out 'expected_stats.csv: 978 passed, 0 failed'
expect_line out 'expected_concurrency.csv: 98 passed, 0 failed'
expect_line out 'expected_reorder.csv: 1630 passed, 0 failed'

# --- wrong tables: each row below must fail, and the others must still be checked
mkdir wrong
cat >wrong/data_a.csv <<'END'
dataset,group,index,value
one,,1,5
two,,1,1
two,,2,2
nan,,1,1
nan,,2,nan
inf,,1,1
inf,,2,inf
same,,1,3
same,,2,3
same,,3,3
zero,,1,0
zero,,2,1
big,,1,1e308
big,,2,-1e308
g,a,1,1
g,a,2,2
g,b,1,3
g,b,2,5
tr,s,1,1
tr,s,2,2
half,s,1,0.5
none,s,1,0
many,s,1,1e300
ev,begin,1,5
ev,begin,2,7
ev,end,1,3
ev,end,2,9
ok,begin,1,0
ok,end,1,2
END
header=case,statistic,inputs,params,value,rel_tol,source,notes
{
	echo $header
	# what holds
	echo 'a,mean,x=two,,1.5,1e-15,,'
	echo 'a,F_r,ref=same;rep=two,,zero_variance,0,,'
	echo 'a,F_r,ref=same;rep=two,,undefined,0,,'
	echo 'a,n,,,0,0,,'
	echo 'a,anova_N,groups=g,,4,0,,'
	echo 'a,sd_status,x=one,,too_few,0,,'
	echo 'a,ro_received,,,0,0,,'
	echo 'a,ro_ratio,,,undefined,0,,'
	echo 'a,conc_span,events=ok,,2,0,,'
} >wrong/expected_a.csv
expect_status 0 "$oracle" wrong
expect_line out '9 passed, 0 failed'

{
	echo $header
	echo 'a,mean,x=two,,1.6,1e-3,,'
	echo 'a,mean,x=two,,1.6,,,'
	echo 'a,mean,x=two,,1.5,-1,,'
	echo 'a,mean,x=two,,1.5,nan,,'
	echo 'a,mean,x=two,,nan,1,,'
	echo 'a,mean,x=two,,inf,1,,'
	echo 'a,mean,x=nan,,1,1e9,,'
	echo 'a,mean,x=inf,,1,1e9,,'
	echo 'a,variance,x=big,,1,1e9,,'
	echo 'a,mean,x=nowhere,,1,1e9,,'
	echo 'a,mean,,,0,1,,'
	echo 'a,mean,x,,1.5,1,,'
	echo 'a,mean,=two,,1.5,1,,'
	echo 'a,no_such_statistic,x=two,,1.5,1,,'
	echo 'a,,x=two,,1.5,1,,'
	echo 'a,quantile,x=two,,1.5,1,,'
	echo 'a,quantile,x=two,p=0.5,1.5,1,,'
	echo 'a,quantile,x=two,p=0.5;type=9,1.5,1,,'
	echo 'a,quantile,x=two,p=2;type=7,1.5,1,,'
	echo 'a,quantile,x=two,p=nan;type=7,1.5,1,,'
	echo 'a,quantile,x=two,p;type=7,1.5,1,,'
	echo 'a,acf,x=two,lag=-1,0,1,,'
	echo 'a,acf,x=two,lag=nan,0,1,,'
	echo 'a,acf,x=two,lag=1e300,0,1,,'
	echo 'a,acf,x=two,lag=0.5,0,1,,'
	echo 'a,se_batch_means,x=two,batches=1e18,0,1,,'
	echo 'a,bias_i_pct,ref=two;rep=two,i=3,0,1,,'
	echo 'a,bias_i_pct,ref=two;rep=two,i=0,0,1,,'
	echo 'a,bias_i_pct,ref=zero;rep=two,i=1,0,1e9,,'
	echo 'a,mandel_h,groups=g,i=9,0,1,,'
	echo 'a,anova_F,,,0,1,,'
	echo 'a,F_p,ref=two;rep=two,side=sideways,1,1,,'
	echo 'a,F_p,ref=two;rep=two,,1,1,,'
	echo 'a,u_c_pct,ref=two;rep=two,mode=other,0,1e9,,'
	echo 'a,p_adj_holm,p=big,i=1,1,1,,'
	echo 'a,mwu_p_exact,,,1,1,,'
	echo 'a,hodges_lehmann,ref=one,,1,1,,'
	echo 'a,ks_p_exact,rep=one,,1,1,,'
	echo 'a,power_t_two_sample,,n=1e300;d=1;alpha=0.05,1,1,,'
	echo 'a,rect_sum_half_width,,n=1e9;sd=1;coverage=0.95,1,1e9,,'
	echo 'a,rect_sum_half_width,,n=-1;sd=1;coverage=0.95,1,1e9,,'
	echo 'a,critical_range_f,,n=1e12;p=0.95,1,1e9,,'
	echo 'a,chart_d2,,n=nan,1,1e9,,'
	echo 'a,imr_center,x=two,base=-4,1,1e9,,'
	echo 'a,cusum_plus,z=two,i=3;k=0.5,1,1e9,,'
	echo 'a,clopper_lo,,k=nan;n=10;conf=0.95,0,1e9,,'
	echo 'a,order_ci_lower_rank,,n=1e300;p=0.5;conf=0.95,0,1e9,,'
	echo 'a,accept_route,first=two,,mean2,0,,'
	echo 'a,s1_delta,,u=1;ndig=1e9,1,1e9,,'
	echo 'a,ro_received,arrivals=half,,1,0,,'
	echo 'a,ro_received,arrivals=none,,1,0,,'
	echo 'a,ro_received,arrivals=many,,1,0,,'
	echo 'a,ro_missing,arrivals=tr,,0,0,,'
	echo 'a,ro_extent,arrivals=tr,k=1,0,0,,'
	echo 'a,ro_extent,arrivals=tr,,undefined,0,,'
	echo 'a,ro_n_reordered_count,arrivals=tr,n=0,0,0,,'
	echo 'a,rd_density,arrivals=tr,,0,0,,'
	echo 'a,ro_nonsense,arrivals=tr,,0,0,,'
	echo 'a,conc_span,events=ev,,4,0,,'
	echo 'a,conc_span,events=tr,,4,0,,'
	echo 'a,conc_span,,,0,0,,'
	echo 'a,conc_lifetime,events=ok,i=2,1,0,,'
	echo 'a,conc_cdf_time,events=ok,c=x,1,0,,'
	echo 'a,short'
	echo ''
} >wrong/expected_a.csv
rows=$(($(wc -l <wrong/expected_a.csv) - 2))
expect_status 1 "$oracle" wrong
tail -n 1 out >last
expect_line last "0 passed, $rows failed"
[ "$(grep -c '^wrong/expected_a.csv:[0-9]*: ' out)" -eq "$rows" ] || fail "not each failure is named"
expect_line out 'no_such_statistic(x=two; ): no such statistic, expected 1.5'
expect_line out 'mean(x=two; ): got 1.5, expected 1.6'

# what cannot be read at all
expect_status 2 "$oracle"
expect_status 3 "$oracle" nowhere
mkdir empty
expect_status 3 "$oracle" empty
mkdir broken
cp wrong/expected_a.csv broken/
expect_status 3 "$oracle" broken
expect_line err 'broken/data_a.csv'
printf 'dataset,group,index,value\na,,2,1\n' >broken/data_a.csv
expect_status 3 "$oracle" broken
expect_line err 'row 2: index 2 is not the next one'
printf 'dataset,group,index,value\na,,1,one\n' >broken/data_a.csv
expect_status 3 "$oracle" broken
expect_line err 'is not a number'
printf 'dataset,value\na,1\n' >broken/data_a.csv
expect_status 3 "$oracle" broken
expect_line err 'the header is not dataset'
printf 'dataset,group,index,value\n"a,,1,1\n' >broken/data_a.csv
expect_status 3 "$oracle" broken
